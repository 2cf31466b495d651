import { describe, expect, it } from 'vitest';
import { secretsOfUrl, SecretTexts, shownUrl } from '../../src/mcp/secret-texts.ts';

const secret = 'p&ss "wörd"/+?';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const scrubbed = (text: string, ...secrets: string[]) => {
  const texts = new SecretTexts();
  texts.add(...secrets);
  return texts.scrub(text);
};

describe('a secret', () => {
  const inUrl = encodeURIComponent(secret);
  it.each([
    ['as it is', secret],
    ['in an address', inUrl],
    ['in an address, in small letters', inUrl.replaceAll(/%../g, (code) => code.toLowerCase())],
    ['in a form', inUrl.replaceAll('%20', '+')],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in base64', base64(secret)],
    ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
  ])('is cut out %s', (_how, text) => {
    const left = scrubbed(`got <${text}> back`, secret);
    expect(left).toContain('[secret]');
    // Of base64 in the middle of nowhere, only what fills a group up may stay.
    expect(left.replace('[secret]', '')).toMatch(/^got <=*> back$/);
  });

  it('is cut out of a longer text that was encoded as a whole', () => {
    const token = 'tok-1234567890-abcdef';
    for (const before of ['', 'u:', 'us:', 'user:'])
      for (const after of ['', '@', '@x', '@xy']) {
        const left = scrubbed(base64(before + token + after), token);
        const rest = left.split('[secret]').map((part) => Buffer.from(part, 'base64').toString());
        expect(left).toContain('[secret]');
        expect(rest.join('')).not.toMatch(/tok|123|abc/);
      }
  });

  it('that begins another one leaves nothing of that', () => {
    expect(scrubbed('it is abcdef-ghijkl', 'abcdef', 'abcdef-ghijkl')).toBe('it is [secret]');
  });

  it('is no short word', () => {
    expect(scrubbed('the end', 'the')).toBe('the end');
  });
});

describe('the address of a server', () => {
  it('has secrets in its query, as they were written and as they are meant', () => {
    const found = secretsOfUrl('https://x.example/mcp?v=1&api_key=k%2Fey+s3cret&flag');
    expect(found).toEqual(expect.arrayContaining(['k%2Fey+s3cret', 'k/ey s3cret']));
  });

  it('is shown without them', () => {
    expect(shownUrl('https://x.example/mcp?api_key=s3cret')).toBe('https://x.example/mcp?…');
    expect(shownUrl('https://me:s3cret@x.example/mcp')).toBe('https://x.example/mcp');
  });
});
