import type { Json } from '../schema/message.ts';

/** What an endpoint says of a failure, whatever its form. */
export interface ErrorBody {
  message: string;
  code: string;
  type: string;
}

/**
 * Reads the error bodies that are around: OpenAI's `{ error: { message } }`, a bare `{ message }` (older vLLM), `{ error: "…" }`
 * (Ollama), `{ detail }` (FastAPI), a list of one (Google), the upstream's own words in `metadata.raw` (OpenRouter), plain text.
 */
export function readErrorBody(body: Json | undefined): ErrorBody {
  if (typeof body === 'string') return { message: plainText(body), code: '', type: '' };
  if (Array.isArray(body)) return readErrorBody(body[0]);
  if (typeof body !== 'object' || body === null) return { message: '', code: '', type: '' };
  const inner = body['error'];
  if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null)) return readErrorBody(inner);
  const { message, detail, code, type, metadata, innererror } = body;
  const said = message ?? detail;
  return {
    message: [said === undefined ? JSON.stringify(body) : words(said), words(rawOf(metadata))]
      .filter((part) => part !== '')
      .join(': '),
    code: words(codeOf(innererror) ?? code),
    type: words(type),
  };
}

function rawOf(metadata: Json | undefined): Json | undefined {
  return isObject(metadata) ? (metadata['raw'] ?? metadata['reasons']) : undefined;
}

/** Azure names the reason of a filtered prompt one level deeper. */
function codeOf(innererror: Json | undefined): Json | undefined {
  return isObject(innererror) ? innererror['code'] : undefined;
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Proxies answer with pages. */
function plainText(body: string): string {
  return body
    .replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 1_000);
}

function words(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
