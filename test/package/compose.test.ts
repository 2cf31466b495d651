import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandNames } from '../../src/cli/commands.ts';
import { searchAttributes } from '../../src/contracts/search-attributes.ts';

interface Service {
  image: string;
  build?: string;
  restart: string;
  command?: string[];
  profiles?: string[];
  ports?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

const textOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

const text = textOf('docker-compose.yml');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
const manifest = JSON.parse(textOf('package.json')) as { version: string; bin: Record<string, string> };
const named = Object.entries(services).map(([name, service]) => ({ name, service }));
const isCommand = (name: string | undefined): boolean => commandNames.some((command) => command === name);
const isJob = ({ restart }: Service): boolean => restart.startsWith('on-failure');

describe('docker-compose.yml', () => {
  it.each(named)('pins the image of $name', ({ service }) => {
    expect(service.image).toMatch(/^[\w/.-]+:\d+\.\d+(\.\d+)?(-\w+)?$/);
  });

  it.each(named.filter(({ service }) => !isJob(service)))('checks the health of $name', ({ service }) => {
    expect(service.healthcheck?.test.length).toBeGreaterThan(1);
  });

  it.each(named.filter(({ service }) => isJob(service)))(
    'has others wait for the job $name to end',
    ({ name }) => {
      const conditions = named.map(({ service }) => service.depends_on?.[name]?.condition);
      expect(conditions).toContain('service_completed_successfully');
    },
  );

  it.each(named)('publishes the ports of $name to this machine only', ({ service }) => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  describe('the services of ours', () => {
    const ours = named.filter(({ service }) => service.build !== undefined);

    it('are the worker and the API, in the version of the package', () => {
      expect(ours.map(({ name }) => name)).toEqual(['worker', 'api']);
      for (const { service } of ours) expect(service.image).toBe(`durascope:${manifest.version}`);
    });

    it.each(ours)('run a command of the package, or wait for it in a profile: $name', ({ service }) => {
      const [program, command] = service.command ?? [];
      expect(Object.keys(manifest.bin)).toContain(program);
      expect(service.profiles !== undefined).toBe(!isCommand(command));
    });

    it('check their health by a command of the package, or by the API', () => {
      const [, program, command] = services['worker']?.healthcheck?.test ?? [];
      expect([program, isCommand(command)]).toEqual(['durascope', true]);
      expect(services['api']?.healthcheck?.test.join(' ')).toContain('/v1/health');
    });
  });

  it('has no default for a secret, and asks for each required value in .env.example', () => {
    const variables = [...text.matchAll(/(?<!\$)\$\{(\w+)(:[?-])?([^}]*)\}/g)];
    const required = new Set(
      variables.filter(([, , kind]) => kind === ':?').flatMap(([, name]) => name ?? []),
    );
    const defaults = variables
      .filter(([, , kind, value]) => kind !== ':?' && value !== '')
      .map(([, name]) => name);
    const asked = [...textOf('.env.example').matchAll(/^(\w+)=$/gm)].flatMap(([, name]) => name ?? []);
    expect([...required].toSorted()).toEqual(asked.toSorted());
    expect(defaults).toEqual(['OPENAI_BASE_URL']);
  });
});

describe('the search attributes of a cluster', () => {
  const wanted = Object.values(searchAttributes).map(({ name, type }) => `${name} ${type}`);

  it.each(['docker-compose.yml', 'docs/operations.md'])('are registered in %s as in the code', (file) => {
    const registered = [...textOf(file).matchAll(/--name (\w+) --type (\w+)/g)];
    expect(registered.map(([, name, type]) => `${name} ${type?.toUpperCase()}`)).toEqual(wanted);
  });
});
