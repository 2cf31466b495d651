// An MCP server over stdio that misbehaves on request: hand-made, so that it can break what the SDK would not let a server break.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Message {
  id?: number;
  method?: string;
  params?: {
    name?: string;
    arguments?: Record<string, unknown>;
    cursor?: string;
    _meta?: { progressToken?: number };
  };
}

const [log = '/dev/null'] = process.argv.slice(2);
const note = (line: string) => appendFileSync(log, `${line}\n`);
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const tool = (name: string, more: object = {}) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: {} },
  ...more,
});
let hasMore = false;
let calls = 0;

note(`start ${process.pid}`);
process.on('SIGTERM', () => note('SIGTERM'));
process.stdin.on('end', () => {
  if (process.env['STUBBORN'] === undefined) process.exit(0);
});
setInterval(() => undefined, 60_000);

const answers: Record<string, (id: number, message: Message) => void> = {
  initialize: (id) =>
    send({
      id,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'bad', version: '1' },
      },
    }),
  'tools/list': (id, { params }) => {
    note('list');
    const first = [
      tool('die'),
      tool('die_reading', { annotations: { readOnlyHint: true } }),
      tool('hang'),
      tool('garbage'),
      tool('huge'),
      tool('wrong_id'),
      tool('change'),
    ];
    const second = [
      tool('count'),
      tool('show_env'),
      tool('promises', {
        outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      }),
      tool('backtracks', {
        outputSchema: { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } },
      }),
      tool('enormous', { inputSchema: { type: 'object', description: 'x'.repeat(300_000) } }),
      tool('no tool'),
      tool('slow', { annotations: { destructiveHint: true } }),
      { name: 'broken', inputSchema: 'none' },
      ...(hasMore ? [tool('new')] : []),
    ];
    send({ id, result: params?.cursor === 'b' ? { tools: second } : { tools: first, nextCursor: 'b' } });
  },
  'tools/call': (id, message) => {
    const { name, arguments: args } = message.params ?? {};
    note(`call ${name}`);
    const result = (value: object) => send({ id, result: value });
    switch (name) {
      case 'die':
        process.kill(process.pid, 'SIGKILL');
        return;
      case 'die_reading':
        // The process that was started anew answers.
        if (calls === 0 && process.env['DIE_FILE'] === undefined) process.kill(process.pid, 'SIGKILL');
        return;
      case 'hang':
        return;
      case 'garbage':
        process.stdout.write('Debug: here I am\n{"half": \n\u0000\u0001\n');
        return result(text('after the garbage'));
      case 'huge':
        return result(text('x'.repeat(Number(args?.['bytes'] ?? 33 * 1024 * 1024))));
      case 'wrong_id':
        return send({ id: id + 1000, result: text('for somebody else') });
      case 'change':
        hasMore = true;
        result(text('changed'));
        return send({ method: 'notifications/tools/list_changed' });
      case 'count':
        calls += 1;
        return result(text(`call ${calls} of process ${process.pid}`));
      case 'show_env':
        return result(text(JSON.stringify(process.env)));
      case 'promises':
        return result({ ...text('{"n":"one"}'), structuredContent: { n: 'one' } });
      case 'backtracks':
        return result({ ...text('done'), structuredContent: { s: `${'a'.repeat(40)}!` } });
      case 'slow':
        send({
          method: 'notifications/progress',
          params: {
            progressToken: message.params?._meta?.progressToken,
            progress: 1,
            total: 4,
            message: 'began',
          },
        });
        return;
      case 'new':
        return result(text('new'));
      default:
        return send({ id, error: { code: -32602, message: `Unknown tool: ${name}` } });
    }
  },
  ping: (id) => send({ id, result: {} }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  if (message.method === 'notifications/cancelled') note('cancelled');
  if (message.id === undefined || message.method === undefined) return;
  const answer = answers[message.method];
  if (answer) answer(message.id, message);
  else send({ id: message.id, error: { code: -32601, message: 'Method not found' } });
});
