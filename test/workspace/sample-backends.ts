import { fileURLToPath } from 'node:url';
import type { EnvironmentOptions } from '../../src/workspace/environment.ts';
import { bubblewrapBackend } from '../../src/workspace/bubblewrap-backend.ts';
import { dockerBackend } from '../../src/workspace/docker-backend.ts';
import { localBackend } from '../../src/workspace/local-backend.ts';
import type { WorkspaceBackend } from '../../src/workspace/workspace.ts';

export const fakeDocker = fileURLToPath(new URL('fake-docker.mjs', import.meta.url));

export type BackendName = 'local' | 'bubblewrap' | 'docker';

export function sampleBackend(
  name: BackendName,
  root: string,
  options: EnvironmentOptions = {},
): WorkspaceBackend {
  switch (name) {
    case 'local':
      return localBackend({ root, ...options });
    case 'bubblewrap':
      return bubblewrapBackend({ root, ...options });
    case 'docker':
      return dockerBackend({ root, image: 'debian:stable', program: fakeDocker, ...options });
  }
}
