import { Problem } from './problem.ts';

/** An input may have 4 MB. */
const maxBodyBytes = 5 * 1024 * 1024;

/**
 * A request's body. Only application/json: a form of another site could send any other kind without asking first.
 *
 * @throws Problem `not_json`, `too_large`, `malformed_json`.
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new Problem('not_json', 'Send the body as JSON, with the header "content-type: application/json"');
  const bytes = await readBytes(request);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Problem('malformed_json', `The body is not JSON in UTF-8: ${String(cause)}`, { cause });
  }
}

/** No more is read than is taken, whatever the length that was announced, or none. */
async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): Problem {
  return new Problem(
    'too_large',
    `The body has more than ${maxBodyBytes} bytes, above the limit: put large content where a tool can read it, and pass its address`,
    {
      headers: { connection: 'close' },
    },
  );
}
