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
export { storedKeys } from './auth/stored-keys.ts';
export { listedKeys, parseListedKeys } from './auth/listed-keys.ts';
export { jwtOf } from './auth/jwt.ts';
export { firstOf } from './auth/first-of.ts';
export { installPrometheus } from '../metrics/prometheus.ts';
export { Problem, type ProblemCode } from './problem.ts';
export type { Log } from './log.ts';
