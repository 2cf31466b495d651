import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import type { Json } from '../../schema/message.ts';
import { type AnswerPlan, planAnswer } from './answer-plan.ts';
import { chatCompletion, chatFrames } from './chat-frames.ts';
import { responsesAnswer, responsesFrames } from './responses-frames.ts';
import { Script } from './script.ts';
import { readRequest, type ScriptedRequest } from './scripted-request.ts';
import type { Answer, Step, WireOptions } from './step.ts';
import { isDisconnectedByScript, type Outlet, writeRaw, writeStream, writeWhole } from './write-answer.ts';

export interface ScriptedModelOptions {
  /** Default: any free one. */
  port?: number;
  /** Names that `GET /v1/models` lists; calls may use any. */
  models?: readonly string[];
  /** Oddities of every answer; a step's own options win. */
  wire?: WireOptions;
}

/**
 * A model endpoint that says what a test tells it to, over real HTTP: Chat Completions and Responses, streaming or not.
 *
 * ```ts
 * const model = await ScriptedModel.start();
 * model.calls('refund_order', { orderId: '1001' }).says('Refunded.');
 * // … point OPENAI_BASE_URL at model.baseUrl, run the agent …
 * model.assertDone();
 * await model.stop();
 * ```
 *
 * A call that no step is left for is answered with a 500 that is not to be retried, and `assertDone` tells of it.
 */
export class ScriptedModel extends Script {
  /** All calls so far, the unexpected ones included. */
  readonly requests: ScriptedRequest[] = [];
  readonly #server: Server;
  readonly #options: ScriptedModelOptions;
  readonly #scripts: { matches: (request: ScriptedRequest) => boolean; script: Script }[] = [];
  readonly #unexpected: string[] = [];
  readonly #waiters = new Set<() => void>();
  readonly #nonce = randomBytes(4).toString('hex');
  #ids = 0;
  #isStopped = false;

  private constructor(server: Server, options: ScriptedModelOptions) {
    super();
    this.#server = server;
    this.#options = options;
    server.on('request', (incoming, response) => void this.#serve(incoming, response));
  }

  /** Listens on 127.0.0.1. */
  static async start(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const model = new ScriptedModel(server, options);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return model;
  }

  /** Ends in `/v1`: what `OPENAI_BASE_URL` wants. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /**
   * A script of its own for the calls that match, a conversation for example:
   * `model.when((request) => request.messages[0]?.text === 'first case').says('…')`. The first match that has something to say is taken, this model's own steps last.
   */
  when(matches: (request: ScriptedRequest) => boolean): Script {
    const script = new Script();
    this.#scripts.push({ matches, script });
    return script;
  }

  /** Resolves with the nth call (from 1), once it has arrived. */
  waitForRequest(n = 1): Promise<ScriptedRequest> {
    return this.#waitFor(() => this.requests[n - 1]);
  }

  /** Resolves with the nth call that its caller aborted (from 1). */
  waitForAbort(n = 1): Promise<ScriptedRequest> {
    return this.#waitFor(() => this.requests.filter((request) => request.aborted)[n - 1]);
  }

  /** Throws when steps are left over, or when a call came that no step was for. */
  assertDone(): void {
    const left = this.stepsLeft + this.#scripts.reduce((sum, { script }) => sum + script.stepsLeft, 0);
    const faults = [...this.#unexpected];
    if (left > 0)
      faults.push(`${left} scripted step(s) were never asked for, after ${this.requests.length} call(s)`);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  /** Closes the port and every connection. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
    const route = `${incoming.method} ${path}`;
    if (route === 'GET /v1/models') {
      const data = (this.#options.models ?? ['scripted']).map((id) => ({ id, object: 'model' }));
      sendJson(response, 200, { object: 'list', data });
    } else if (route === 'POST /v1/chat/completions') await this.#answer('chat', incoming, response);
    else if (route === 'POST /v1/responses') await this.#answer('responses', incoming, response);
    else sendJson(response, 404, errorBody(`No route ${route}`));
  }

  async #answer(
    api: 'chat' | 'responses',
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const text = await readText(incoming);
    if (text === undefined) return;
    let body: Record<string, Json>;
    try {
      body = JSON.parse(text) as Record<string, Json>;
    } catch {
      sendJson(response, 400, errorBody('The body is not JSON'));
      return;
    }
    const request = readRequest(this.requests.length + 1, api, incoming, body);
    this.#watch(request, response);
    this.requests.push(request);
    this.#notify();
    try {
      const step = await this.#nextStep(request);
      if (step) await this.#perform(step, request, text.length, response);
      else this.#refuse(response, `Unexpected model call ${request.number}: no step is left for it`, request);
    } catch (error) {
      this.#refuse(
        response,
        `The responder of model call ${request.number} threw: ${String(error)}`,
        request,
      );
    }
  }

  #watch(request: ScriptedRequest, response: ServerResponse): void {
    response.once('close', () => {
      request.endedAt = now();
      request.aborted = !response.writableFinished && !isDisconnectedByScript(response) && !this.#isStopped;
      this.#notify();
    });
  }

  async #nextStep(request: ScriptedRequest): Promise<Step | undefined> {
    for (const { matches, script } of this.#scripts) {
      const step = matches(request) ? await script.next(request) : undefined;
      if (step) return step;
    }
    return this.next(request);
  }

  async #perform(
    step: Step,
    request: ScriptedRequest,
    characters: number,
    response: ServerResponse,
  ): Promise<void> {
    const outlet: Outlet = { response, onChunk: () => request.sentAt.push(now()) };
    switch (step.kind) {
      case 'answer':
        return this.#send(step, request, characters, outlet);
      case 'hang':
        if (step.before === 'firstToken') {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.flushHeaders();
        }
        return;
      case 'failure':
        if (typeof step.body === 'string')
          response.writeHead(step.status, { 'content-type': 'text/plain', ...step.headers }).end(step.body);
        else sendJson(response, step.status, step.body, step.headers);
        return;
      case 'raw':
        response.writeHead(step.status, step.headers);
        response.flushHeaders();
        await writeRaw(outlet, step.writes);
    }
  }

  async #send(answer: Answer, request: ScriptedRequest, characters: number, outlet: Outlet): Promise<void> {
    const plan: AnswerPlan = planAnswer(answer, {
      model: request.model,
      characters,
      newId: (prefix) => `${prefix}_${this.#nonce}${(this.#ids += 1)}`,
      defaults: this.#options.wire ?? {},
    });
    const [frames, whole] =
      request.api === 'chat' ? [chatFrames, chatCompletion] : [responsesFrames, responsesAnswer];
    if (request.isStreaming) await writeStream(outlet, frames(plan), plan.wire, answer.cut);
    else await writeWhole(outlet, whole(plan), answer.cut);
  }

  #refuse(response: ServerResponse, message: string, request: ScriptedRequest): void {
    const last = request.messages.at(-1);
    const about = last ? ` (${request.model}, last message: ${last.role} "${last.text.slice(0, 80)}")` : '';
    this.#unexpected.push(message + about);
    sendJson(response, 500, errorBody(message + about), { 'x-should-retry': 'false' });
  }

  async #waitFor<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }

  #notify(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }
}

/** Undefined when the caller hung up before it had sent the body. */
async function readText(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function errorBody(message: string): Json {
  return { error: { message, type: 'scripted_model', param: null, code: 'scripted_model' } };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
