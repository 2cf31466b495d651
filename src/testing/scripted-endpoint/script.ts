import type { Json } from '../../schema/message.ts';
import type { ScriptedRequest } from './scripted-request.ts';
import {
  type Answer,
  type AnswerOptions,
  type Break,
  breaksAfter,
  calls,
  type FailureOptions,
  fails,
  type HangOptions,
  hangs,
  raw,
  says,
  type ScriptedCall,
  type Step,
  thinks,
} from './step.ts';

/** Decides on an answer from what was asked. Given the conversation alone, a restarted endpoint goes on where the last one stopped. */
export type Responder = (request: ScriptedRequest) => Step | Promise<Step>;

/** What to answer, in order: queued steps first, then the responder for whatever else is asked. Every method returns the script. */
export class Script {
  readonly #steps: Step[] = [];
  #responder: Responder | undefined;

  says(text: string, options?: AnswerOptions): this {
    return this.queue(says(text, options));
  }

  calls(name: string, args?: Json, options?: AnswerOptions & { text?: string }): this;
  calls(list: readonly ScriptedCall[], options?: AnswerOptions & { text?: string }): this;
  calls(
    what: string | readonly ScriptedCall[],
    second?: Json | AnswerOptions,
    options?: AnswerOptions & { text?: string },
  ): this {
    return this.queue(
      typeof what === 'string'
        ? calls(what, second as Json | undefined, options)
        : calls(what, second as AnswerOptions | undefined),
    );
  }

  thinks(text: string, next?: Answer): this {
    return this.queue(thinks(text, next));
  }

  breaksAfter(chunks: number, step: Answer, how?: Break): this {
    return this.queue(breaksAfter(chunks, step, how));
  }

  fails(status: number, options?: FailureOptions): this {
    return this.queue(fails(status, options));
  }

  hangs(options: HangOptions): this {
    return this.queue(hangs(options));
  }

  raw(writes: Parameters<typeof raw>[0], options?: Parameters<typeof raw>[1]): this {
    return this.queue(raw(writes, options));
  }

  /** Adds steps that were built with the functions of the same names. */
  queue(...steps: Step[]): this {
    this.#steps.push(...steps);
    return this;
  }

  /** Answers every request that finds no queued step. A later responder replaces the earlier. */
  answers(responder: Responder): this {
    this.#responder = responder;
    return this;
  }

  /** Steps that nobody asked for yet. */
  get stepsLeft(): number {
    return this.#steps.length;
  }

  /** Takes the next step; undefined when the script has nothing to say. */
  async next(request: ScriptedRequest): Promise<Step | undefined> {
    return this.#steps.shift() ?? (await this.#responder?.(request));
  }
}
