import { describe, expect, it } from 'vitest';
import { dangerousPath, isSensitivePath } from '../../../src/tools/paths/sensitive-paths.ts';

describe('isSensitivePath', () => {
  it.each([
    '.env',
    '/a/.env',
    './b/../.env',
    '.ENV',
    '.env.local',
    '.env.production',
    'prod.env',
    '.envrc',
    '/home/u/.ssh/id_rsa',
    '.ssh/config',
    '.ssh',
    'id_ed25519',
    'backup/id_rsa.old',
    'server.pem',
    'tls/server.key',
    '.npmrc',
    '.netrc',
    '.pypirc',
    '.pgpass',
    '.git-credentials',
    '.git/config',
    '/home/u/.aws/credentials',
    '.kube/config',
    '.docker/config.json',
    '/root/.config/gcloud/x',
    '.gnupg/x',
    '/etc/shadow',
    '/etc/../etc/shadow',
    '/proc/self/environ',
    '/proc/12/environ',
    '/proc/self/root/etc/x',
    'credentials.json',
    'service-account-prod.json',
    'terraform.tfstate',
    '.bash_history',
    '/run/secrets/db',
  ])('%s is', (path) => {
    expect(isSensitivePath(path)).toBe(true);
  });

  it.each([
    '',
    '/',
    '.',
    'README.md',
    '.env.example',
    '.env.sample',
    'example.env',
    'environment.ts',
    'env',
    '.gitignore',
    '.github/x',
    '.ssh.md',
    'id_rsa.pub',
    '/home/u/.ssh/id_rsa.pub',
    'keyboard.ts',
    'src/key.ts',
    'etc/shadow',
    '/home/etc/shadow',
    '.docker/x',
    'monkey',
    'pem',
    '/proc/cpuinfo',
    '.env/../a',
  ])('%s is not', (path) => {
    expect(isSensitivePath(path)).toBe(false);
  });

  it('takes lists of its own, and none at all', () => {
    expect(isSensitivePath('a.secret', { sensitiveFiles: ['*.secret'] })).toBe(true);
    expect(isSensitivePath('.env', { sensitiveFiles: [] })).toBe(false);
    expect(isSensitivePath('.env.test', { harmlessFiles: ['.env.test'] })).toBe(false);
  });
});

describe('dangerousPath', () => {
  it.each([
    '.bashrc',
    '/home/u/.zshrc',
    '.GitConfig',
    '.gitmodules',
    '.npmrc',
    '.env',
    '.env.test.local',
    '.git',
    '.git/hooks/x',
    'a/.git/config',
    '.vscode/settings.json',
    '.idea',
    '.ssh/x',
    '.SSH/config',
    'a/../.git/x',
    '.config/git/config',
    '/etc/hosts',
    '/dev/sda',
    '/proc/x',
    '/usr/bin/node',
    '/dev/null/../sda',
  ])('%s is', (path) => {
    expect(dangerousPath(path)).toBeDefined();
  });

  it.each([
    '',
    'a',
    '.gitignore',
    '.github/x',
    '.git2',
    'git',
    'x.git',
    '.config/x',
    '/dev/null',
    '/dev/stdout',
    '/dev/fd/3',
    '/usr/local/x',
    '/tmp/x',
    'etc/hosts',
    '/home/etc/x',
    '.git/../a',
  ])('%s is not', (path) => {
    expect(dangerousPath(path)).toBeUndefined();
  });

  it('takes lists of its own, and none at all', () => {
    const none = { dangerousFiles: [], dangerousDirectories: [], systemDirectories: [] };
    expect(dangerousPath('/etc/.git/.bashrc', none)).toBeUndefined();
    expect(dangerousPath('conf/x', { dangerousDirectories: ['conf'] })).toContain('conf');
  });
});
