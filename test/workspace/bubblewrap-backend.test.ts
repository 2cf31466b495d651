import { createServer, type Server } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bubblewrapBackend } from '../../src/workspace/bubblewrap-backend.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { describeInBubblewrap } from './find-bubblewrap.ts';
import { describeBackend, run } from './backend-contract.ts';

describeInBubblewrap('Bubblewrap', () => {
  describeBackend('bubblewrap');
});

describeInBubblewrap('a sandbox of Bubblewrap', () => {
  let root: string;
  let workspace: Workspace;
  let server: Server;
  let port: number;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'workspaces-'));
    workspace = await bubblewrapBackend({ root }).open({ owner: 'acme', sessionId: 's1' });
    await bubblewrapBackend({ root }).open({ owner: 'acme', sessionId: 's2' });
    await writeFile(join(root, 'of-the-host'), 'x');
    server = createServer((_, response) => response.end('hello from the host'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    server.close();
    await rm(root, { recursive: true, force: true });
  });

  it.each([
    ['the home of who runs the worker', () => `ls -A ${homedir()}`],
    ['secrets of the system', () => 'cat /etc/shadow'],
    ['files beside the workspace', () => `cat ${join(root, 'of-the-host')}`],
    ['the workspace of another session', () => `ls ${join(root, 'acme', 's2')}`],
    ['a service of this machine', () => `exec 3<>/dev/tcp/127.0.0.1/${port}`],
    ['the system, to write', () => 'touch /usr/bin/made || touch /etc/made'],
    ['devices', () => 'head -c 1 /dev/mem || mknod x b 8 0'],
    ['settings of the kernel', () => 'cat /proc/sys/kernel/core_pattern >/proc/sys/kernel/core_pattern'],
    [
      'them in a namespace of its own',
      () =>
        'unshare --user --map-root-user --mount --pid --fork sh -c "mount -o remount,rw /proc || mount -t proc none /proc || mount -t proc none /tmp"',
    ],
    ['other files of the kernel, to write', () => 'find /proc -maxdepth 3 -type f -writable | grep .'],
    ['private keys of the system', () => 'ls -A /etc/ssl/private; ls -A /etc/pki/tls/private; false'],
    ['other namespaces', () => 'mount -t tmpfs none /usr'],
  ])('does not reach %s', async (_, command) => {
    const { stdout, exitCode } = await run(workspace, command());
    expect(stdout).toBe('');
    expect(exitCode).not.toBe(0);
  });

  it('sees no process but its own', async () => {
    const { stdout } = await run(workspace, 'ls /proc | grep -c "^[0-9]"');
    expect(Number(stdout)).toBeLessThan(8);
  });

  it('shares the network where that is asked for', async () => {
    const open = await bubblewrapBackend({ root, network: 'host' }).open({ owner: 'acme', sessionId: 's1' });
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
    expect((await run(open, command)).stdout).toContain('hello from the host');
  });

  it('says what to do where there is no Bubblewrap', async () => {
    const backend = bubblewrapBackend({ root, program: 'no-such-bwrap' });
    const none = await backend.open({ owner: 'acme', sessionId: 's1' });
    await expect(run(none, 'true')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('apt-get install bubblewrap') as string,
    });
  });
});
