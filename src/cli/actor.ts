import { userInfo } from 'node:os';

/** Who asks and answers, for the record and for approval policies, where `--actor` does not say. */
export function actor(): string {
  return userInfo().username;
}
