export { builtAdminPage } from './admin-page.ts';
export { createServer, type DurascopeServer, type ServerOptions } from './create-server.ts';
export { listen, type Listening, type ListenOptions } from './listen.ts';
export {
  openAccess,
  ownOnly,
  scopes,
  type AccessPolicy,
  type Authenticator,
  type Principal,
  type Scope,
} from './principal.ts';
export { Problem, type ProblemCode } from './problem.ts';
export type { Log } from './log.ts';
