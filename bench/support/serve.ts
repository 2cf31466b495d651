/** The other end of `startChild`: answers calls until `stop`, which ends the process. */
export function serve(
  hello: unknown,
  methods: Record<string, (...args: never[]) => unknown>,
  stop: () => Promise<void>,
): void {
  const send = (message: object): void => void process.send?.(message);
  const answer = async ({ id, method, args }: { id: number; method: string; args: never[] }) => {
    if (method === 'stop') {
      await stop();
      process.exit(0);
    }
    try {
      send({ id, value: await methods[method]?.(...args) });
    } catch (error) {
      send({ id, error: String(error) });
    }
  };
  process.on('message', (call: Parameters<typeof answer>[0]) => void answer(call));
  send({ ready: hello ?? null });
}

/** What `startChild` passed. */
export function settings(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}
