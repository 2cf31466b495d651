import { describe, expect, it } from 'vitest';
import { matchesHostRule } from '../../../src/tools/paths/host-rule.ts';

describe('matchesHostRule', () => {
  it.each([
    ['https://example.com/a?b#c', 'example.com'],
    ['http://EXAMPLE.com', 'example.com'],
    ['https://example.com.', 'example.com'],
    ['https://example.com:8443/', 'example.com'],
    ['https://example.com:8443/', 'example.com:8443'],
    ['https://example.com/', 'example.com:443'],
    ['http://example.com/', 'example.com:80'],
    ['https://a.example.com', '*.example.com'],
    ['https://a.b.example.com', '*.example.com'],
    ['https://a.example.com:1', '*.example.com:1'],
    ['https://anything.test', '*'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example', 'bücher.example'],
    ['http://127.0.0.1', '127.0.0.1'],
    ['http://0x7f.1', '127.0.0.1'],
    ['http://[::1]:80/', '[::1]'],
    ['wss://example.com', 'example.com'],
    ['https://user:pw@example.com', 'example.com'],
    ['https://example.com', ' Example.COM '],
  ])('%s goes to %s', (url, pattern) => {
    expect(matchesHostRule(url, pattern)).toBe(true);
  });

  it.each([
    ['https://evil.com', 'example.com'],
    ['https://example.com.evil.com', 'example.com'],
    ['https://notexample.com', 'example.com'],
    ['https://a.example.com', 'example.com'],
    ['https://example.com', '*.example.com'],
    ['https://evilexample.com', '*.example.com'],
    ['https://example.com@evil.com', 'example.com'],
    ['https://evil.com/example.com', 'example.com'],
    ['https://evil.com?example.com', 'example.com'],
    ['https://evil.com#@example.com', 'example.com'],
    ['https://evil.com\\@example.com', 'example.com'],
    ['https://example.com:444', 'example.com:443'],
    ['http://example.com', 'example.com:443'],
    ['file://example.com/etc', 'example.com'],
    ['ftp://example.com', 'example.com'],
    ['javascript:example.com', '*'],
    ['example.com', 'example.com'],
    ['', 'example.com'],
    ['https://example.com', ''],
    ['https://example.com', 'ex*mple.com'],
    ['https://example.com', 'https://example.com'],
    ['https://example.com', 'example.com/path'],
    ['https://a.com', '*.'],
  ])('%s does not go to %s', (url, pattern) => {
    expect(matchesHostRule(url, pattern)).toBe(false);
  });
});
