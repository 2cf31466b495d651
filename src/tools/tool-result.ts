import type { ToolOutcome, ToolPart } from './tool.ts';
import { errorOutcome } from './tool-errors.ts';
import { isToolParts, toBase64 } from './tool-parts.ts';

/** More text than this of one result, in bytes of UTF-8, belongs into a file. */
export const maxResultTextBytes = 4 * 1024 * 1024;

/** More media than this in one part, in characters of base64, no endpoint takes. */
export const maxResultMediaChars = 28 * 1024 * 1024;

/** Turns what a tool returned, after the text that it streamed, into a result within our limits. */
export function toOutcome(toolName: string, output: unknown, streamed: StreamedText): ToolOutcome {
  let parts: ToolPart[];
  try {
    parts = toParts(output === '' && streamed.text !== '' ? undefined : output);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return errorOutcome(
      `${toolName} ran, and may have taken effect, but its result can't be shown: ${problem} Don't repeat the call for this.`,
    );
  }
  const all = withStreamed(parts, streamed.text, typeof output === 'string');
  return { state: 'success', parts: limitParts(all, streamed.omittedBytes) };
}

/** Text that a tool streams: what fits within the limit is kept, the rest only counted. */
export interface StreamedText {
  text: string;
  omittedBytes: number;
  /** Returns what of `delta` was kept. */
  add(delta: string): string;
}

export function streamedText(): StreamedText {
  let room = maxResultTextBytes;
  return {
    text: '',
    omittedBytes: 0,
    add(delta) {
      const kept = cutText(delta, room);
      const bytes = Buffer.byteLength(kept);
      this.text += kept;
      this.omittedBytes += Buffer.byteLength(delta) - bytes;
      room -= bytes;
      return kept;
    },
  };
}

/** Text that is returned goes on where the streamed text ended; anything else is a part of its own. */
function withStreamed(rest: ToolPart[], streamed: string, isText: boolean): ToolPart[] {
  if (streamed === '') return rest.length === 0 ? [{ type: 'text', text: 'Done.' }] : rest;
  const [first, ...others] = rest;
  if (isText && first?.type === 'text') return [{ type: 'text', text: streamed + first.text }, ...others];
  return [{ type: 'text', text: streamed }, ...rest];
}

function toParts(output: unknown): ToolPart[] {
  if (output === undefined) return [];
  if (typeof output === 'string') return [{ type: 'text', text: output === '' ? '(empty)' : output }];
  if (output instanceof Uint8Array || output instanceof ArrayBuffer) {
    const source = { type: 'base64', data: toBase64(output) } as const;
    return [{ type: 'data', mediaType: 'application/octet-stream', source }];
  }
  if (isToolParts(output)) return output.parts;
  if (Array.isArray(output) && output.length > 0 && output.every(isToolParts))
    return output.flatMap(({ parts }) => parts);
  return [{ type: 'text', text: toJsonText(output) }];
}

/** JSON on one line: models read it as well as an indented one, and it costs fewer tokens. */
function toJsonText(output: unknown): string {
  return JSON.stringify(output, function refuseLossyValues(this: unknown, key: string, value: unknown) {
    const original = key === '' ? value : Reflect.get(Object(this), key);
    const problem = jsonProblem(original, value);
    if (problem) throw new TypeError(`${key === '' ? 'it' : `"${key}"`} is ${problem}.`);
    return value;
  });
}

/** What JSON can't say, or would say wrongly in silence: a Map, an Error, a Response or a Promise all become `{}`. */
function jsonProblem(original: unknown, value: unknown): string | undefined {
  if (original instanceof Uint8Array || original instanceof ArrayBuffer)
    return 'binary: return it with media()';
  if (typeof value === 'bigint') return 'a BigInt: return it as a string';
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}: return data only`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype || Object.keys(value).length > 0) return undefined;
  return `of class ${value.constructor?.name || 'unknown'}, which has no JSON form: return a plain object or an array`;
}

function limitParts(parts: ToolPart[], omittedBefore: number): ToolPart[] {
  const limited: ToolPart[] = [];
  let room = maxResultTextBytes;
  let omitted = omittedBefore;
  for (const part of parts) {
    if (part.type === 'data') {
      limited.push(limitMedia(part));
      continue;
    }
    const text = cutText(part.text, room);
    const kept = Buffer.byteLength(text);
    omitted += Buffer.byteLength(part.text) - kept;
    room -= kept;
    if (text !== '') limited.push({ type: 'text', text });
  }
  if (omitted > 0) {
    const note = `[Cut: ${omitted} bytes of this result are left out, because a result may have ${maxResultTextBytes} bytes of text. Ask for less at a time.]`;
    limited.push({ type: 'text', text: note });
  }
  return limited;
}

function limitMedia(part: ToolPart & { type: 'data' }): ToolPart {
  if (part.source.type === 'url' || part.source.data.length <= maxResultMediaChars) return part;
  const name = part.name ?? part.mediaType;
  const megabytes = Math.round(part.source.data.length / 1_398_101);
  return { type: 'text', text: `[Left out: ${name} of ${megabytes} MB, which is more than a model takes.]` };
}

/** The longest beginning of `text` within `bytes` of UTF-8 that splits no character. */
function cutText(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const head = Buffer.from(text.slice(0, bytes)).subarray(0, bytes);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
}
