/* For the admin page, which sees the runtime through this folder alone. */
export { costOf } from '../core/cost.ts';
