import { WorkspaceError, type Workspace } from './workspace.ts';

const refuse = async (): Promise<never> => {
  throw new WorkspaceError('unavailable', 'its tools are only listed: no workspace was opened');
};

/** Stands for the workspace of a session that does not exist. */
export const unopened: Workspace = {
  root: '/',
  home: '/',
  read: refuse,
  write: refuse,
  stat: refuse,
  list: refuse,
  realpath: refuse,
  hash: refuse,
  create: refuse,
  remove: refuse,
  peek: (path) => path,
  // eslint-disable-next-line require-yield
  exec: async function* () {
    return refuse();
  },
};
