import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillRedacted, redactArguments, redactedValue } from '../../src/core/redact.ts';

function redact(value: unknown, ...secrets: string[]): unknown {
  return JSON.parse(redactArguments(JSON.stringify(value), secrets));
}

describe('redactArguments', () => {
  it('replaces the values of the declared fields, and nothing else', () => {
    expect(redact({ user: 'ann', password: 'hunter2' }, 'password')).toEqual({
      user: 'ann',
      password: '[secret]',
    });
    expect(redact({ card: { number: '4111', brand: 'x' }, pin: 1 }, 'card.number', 'pin', 'missing')).toEqual(
      { card: { number: '[secret]', brand: 'x' }, pin: '[secret]' },
    );
  });

  it('replaces whatever a declared field holds', () => {
    expect(redact({ key: { deep: ['hunter2'] } }, 'key')).toEqual({ key: '[secret]' });
  });

  it('reaches into lists by index, and into lists and objects by *', () => {
    expect(redact({ keys: ['a', 'b'] }, 'keys.1')).toEqual({ keys: ['a', '[secret]'] });
    expect(redact({ keys: ['a', 'b'] }, 'keys.*')).toEqual({ keys: ['[secret]', '[secret]'] });
    expect(redact({ headers: { a: '1', b: '2' } }, 'headers.*')).toEqual({
      headers: { a: '[secret]', b: '[secret]' },
    });
    expect(redact({ users: [{ name: 'ann', key: 'k' }] }, 'users.*.key')).toEqual({
      users: [{ name: 'ann', key: '[secret]' }],
    });
  });

  it('replaces whole what has another shape than the path: the secret may be anywhere in it', () => {
    expect(redact({ card: '4111 1111' }, 'card.number')).toEqual({ card: '[secret]' });
    expect(redact({ card: [{ number: '4111' }] }, 'card.number')).toEqual({ card: '[secret]' });
    expect(redact({ headers: 'authorization: x' }, 'headers.*')).toEqual({ headers: '[secret]' });
    expect(redact({ card: null }, 'card.number')).toEqual({ card: null });
  });

  it.each([
    '{"password": "hunt',
    'hunter2',
    '"hunter2"',
    '["hunter2"]',
    '42',
    '"{\\"password\\":\\"hunter2\\"}"',
  ])('replaces whole what is no JSON object: %s', (raw) => {
    expect(redactArguments(raw, ['password'])).toBe('"[secret]"');
  });

  it('leaves the text as it is where nothing is secret, broken or not', () => {
    expect(redactArguments('{"a" : ', [])).toBe('{"a" : ');
    expect(redactArguments('', ['password'])).toBe('');
  });

  it('never lets a secret through, wherever in the arguments its field lies', () => {
    const key = fc.stringMatching(/^[a-z]{1,5}$/);
    const path = fc.array(key, { minLength: 1, maxLength: 4 });
    const secret = fc.stringMatching(/^S3CRET[0-9]{4}$/);
    fc.assert(
      fc.property(
        path,
        secret,
        fc.dictionary(key, fc.jsonValue()),
        fc.boolean(),
        (path, secret, other, any) => {
          const hidden = path.reduceRight<unknown>((inner, name) => ({ ...other, [name]: inner }), secret);
          const declared = any ? path.map((name, i) => (i === path.length - 1 ? '*' : name)) : path;
          const shown = redactArguments(JSON.stringify(hidden), [declared.join('.')]);
          expect(shown).not.toContain(secret);
          expect(shown).toContain(redactedValue);
        },
      ),
    );
  });

  it('changes nothing but declared fields: redacting twice is redacting once', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const inputs = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())));
    const paths = fc.array(fc.constantFrom('a', 'b.c', 'c.*', 'a.0'), { minLength: 1 });
    fc.assert(
      fc.property(inputs, paths, (input, secrets) => {
        const once = redactArguments(JSON.stringify(input), secrets);
        expect(redactArguments(once, secrets)).toBe(once);
        const kept = Object.entries(input).filter(([name]) => !secrets.some((path) => path.startsWith(name)));
        expect(JSON.parse(once)).toMatchObject(
          JSON.parse(JSON.stringify(Object.fromEntries(kept))) as object,
        );
      }),
    );
  });
});

describe('fillRedacted', () => {
  it('puts back what a person could not see, and keeps what they changed', () => {
    const original = { to: 'ann', password: 'hunter2', keys: [{ k: 'a' }, { k: 'b' }] };
    const edited = { to: 'bob', password: '[secret]', keys: [{ k: 'new' }, { k: '[secret]' }] };
    expect(fillRedacted(edited, original)).toEqual({
      to: 'bob',
      password: 'hunter2',
      keys: [{ k: 'new' }, { k: 'b' }],
    });
  });

  it('leaves the stand-in where the original has nothing', () => {
    expect(fillRedacted({ password: '[secret]' }, {})).toEqual({ password: '[secret]' });
    expect(fillRedacted({ a: { b: '[secret]' } }, undefined)).toEqual({ a: { b: '[secret]' } });
  });

  it('undoes redactArguments', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const inputs = fc.dictionary(key, fc.dictionary(key, fc.string()), { noNullPrototype: true });
    fc.assert(
      fc.property(inputs, fc.array(fc.constantFrom('a', 'b.c', 'c.*')), (input, secrets) => {
        const shown = JSON.parse(redactArguments(JSON.stringify(input), secrets)) as typeof input;
        expect(fillRedacted(shown, input)).toEqual(input);
      }),
    );
  });
});
