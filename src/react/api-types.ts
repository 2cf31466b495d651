import type { z } from 'zod';
import type * as answers from '../schema/api-answers.ts';
import type * as requests from '../schema/api-requests.ts';

/* The API's own types, as pages see them. */

export type Gate = z.output<typeof answers.Gate>;
export type SessionView = z.output<typeof answers.SessionView>;
export type Submitted = z.output<typeof answers.Submitted>;
export type Confirmation = z.input<typeof requests.ConfirmationField>;
export type ExternalResult = z.input<typeof requests.ExternalResultField>;
export type Reconciliation = z.input<typeof requests.ReconciliationField>;
export type SessionInput = z.input<typeof requests.InputField>;
