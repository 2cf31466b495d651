import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dockerBackend } from '../../src/workspace/docker-backend.ts';
import { describeBackend, run } from './backend-contract.ts';
import { fakeDocker } from './sample-backends.ts';

// No engine is here: what `docker run` is asked for is run by a stand-in.
describeBackend('docker');

describe('the command line for Docker', () => {
  it('parts the container from the machine, and names no secret', async () => {
    const root = await mkdtemp(join(tmpdir(), 'workspaces-'));
    const log = join(root, 'docker.log');
    process.env['DOCKER_FAKE_LOG'] = log;
    try {
      const backend = dockerBackend({
        root,
        image: 'node:24',
        program: fakeDocker,
        env: { TOKEN: 'very-secret' },
        memory: '1g',
        runArguments: ['--label', 'team=agents'],
      });
      const workspace = await backend.open({ owner: 'acme', sessionId: 's1' });
      expect((await run(workspace, 'echo $TOKEN')).stdout).toBe('very-secret\n');

      const [line = ''] = (await readFile(log, 'utf8')).split('\n');
      expect(line).not.toContain('very-secret');
      const args = JSON.parse(line) as string[];
      const text = args.join(' ');
      for (const expected of [
        'run --rm --interactive --init --name durascope-',
        '--network none --read-only --tmpfs /tmp:rw,exec --cap-drop ALL --security-opt no-new-privileges',
        '--pids-limit 512 --memory 1g --cpus 2 --user ',
        `--volume ${workspace.root}:${workspace.root} --workdir ${workspace.root} `,
        '--env TOKEN ',
        `--env HOME=${workspace.home} `,
        '--label team=agents node:24 /bin/sh -c ',
      ])
        expect(text).toContain(expected);
      expect(args.at(-1)).toBe('echo $TOKEN');
    } finally {
      delete process.env['DOCKER_FAKE_LOG'];
      await rm(root, { recursive: true, force: true });
    }
  });

  it('says so where there is no Docker', async () => {
    const root = await mkdtemp(join(tmpdir(), 'workspaces-'));
    const backend = dockerBackend({ root, image: 'node:24', program: 'no-such-docker' });
    const workspace = await backend.open({ owner: 'acme', sessionId: 's1' });
    await expect(run(workspace, 'true')).rejects.toMatchObject({
      code: 'exec_failed',
      message: expect.stringContaining('no-such-docker') as string,
    });
    await rm(root, { recursive: true, force: true });
  });
});
