import { z } from 'zod';

/*
 * Work of several agents as plain data: it can be stored, sent and started from anywhere. What it does is written in
 * src/workflows/flow-runner.ts. The types stand beside their schemas, because they refer to themselves.
 */

/** Asked of the text so far, its first 16,000 characters. Case does not count. */
export type Predicate =
  | { contains: string }
  | { equals: string }
  | { not: Predicate }
  | { all: Predicate[] }
  | { any: Predicate[] };

const predicateText = z.string('write a text').trim().min(1, 'write a text');
export const Predicate: z.ZodType<Predicate> = z.lazy(() =>
  z.union(
    [
      z.strictObject({ contains: predicateText }),
      z.strictObject({ equals: predicateText }),
      z.strictObject({ not: Predicate }),
      z.strictObject({ all: z.array(Predicate).min(1) }),
      z.strictObject({ any: z.array(Predicate).min(1) }),
    ],
    'write { contains }, { equals }, { not }, { all } or { any }',
  ),
);

/** One turn of an agent, in a session of its own. `{{input}}` in the prompt is what came before; without it that follows the prompt. */
export interface TurnFlow {
  kind: 'turn';
  agent: string;
  prompt?: string;
}

/** In order: each gets what the one before it answered. */
export interface PipelineFlow {
  kind: 'pipeline';
  steps: Flow[];
}

/** Side by side, each with the same input. Together they answer one text, with the name of each as a heading. */
export interface ParallelFlow {
  kind: 'parallel';
  branches: { name: string; flow: Flow }[];
}

export interface BranchFlow {
  kind: 'branch';
  when: Predicate;
  do: Flow;
  /** Default: the input goes on as it is. */
  otherwise?: Flow;
}

/** Again and again, each time with its own last answer, until that satisfies `until`, or `limit` rounds have run. */
export interface LoopFlow {
  kind: 'loop';
  body: Flow;
  until?: Predicate;
  limit: number;
}

/**
 * Once for each item, at most `concurrency` at a time. Together they answer one text, with each item as a heading; items that failed are
 * named in it, and harm no other. It fails when all have.
 */
export interface FanOutFlow {
  kind: 'fan_out';
  /** The items; or where they are in the input: its lines, or a JSON array of texts. */
  items: string[] | 'lines' | 'json';
  body: Flow;
  concurrency: number;
}

/** Agents that see each other's messages: each speaks once in a round, in order, and is told what it has not seen. */
export interface HubFlow {
  kind: 'hub';
  members: { name: string; agent: string }[];
  rounds: number;
  /** Ends it after the message that satisfies it. */
  until?: Predicate;
}

export type Flow = TurnFlow | PipelineFlow | ParallelFlow | BranchFlow | LoopFlow | FanOutFlow | HubFlow;

const name = z
  .string('write a name')
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, 'write up to 32 letters, digits, _ and -');
const agent = z.string("write an agent's name").min(1, "write an agent's name");
const count = (max: number) =>
  z.int('write a whole number').min(1, 'write at least 1').max(max, `write at most ${max}`);

/** Items of one fan-out. */
export const maxItems = 5000;

export const Flow: z.ZodType<Flow> = z.lazy(() =>
  z.discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('turn'), agent, prompt: z.string().exactOptional() }),
      z.strictObject({
        kind: z.literal('pipeline'),
        steps: z.array(Flow).min(1, 'write at least one step').max(100),
      }),
      z.strictObject({
        kind: z.literal('parallel'),
        branches: z
          .array(z.strictObject({ name, flow: Flow }))
          .min(1, 'write at least one branch')
          .max(100),
      }),
      z.strictObject({
        kind: z.literal('branch'),
        when: Predicate,
        do: Flow,
        otherwise: z.exactOptional(Flow),
      }),
      z.strictObject({
        kind: z.literal('loop'),
        body: Flow,
        until: z.exactOptional(Predicate),
        limit: count(1000),
      }),
      z.strictObject({
        kind: z.literal('fan_out'),
        items: z.union([
          z.array(z.string()).min(1, 'write at least one item').max(maxItems),
          z.enum(['lines', 'json']),
        ]),
        body: Flow,
        concurrency: count(200),
      }),
      z.strictObject({
        kind: z.literal('hub'),
        members: z.array(z.strictObject({ name, agent })).min(2, 'write at least two members').max(20),
        rounds: count(100),
        until: z.exactOptional(Predicate),
      }),
    ],
    'write a kind: turn, pipeline, parallel, branch, loop, fan_out or hub',
  ),
);
