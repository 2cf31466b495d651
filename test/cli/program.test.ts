import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandNames } from '../../src/cli/commands.ts';
import { nodeComplaint } from '../../src/cli/node-version.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { runCli } from './cli-process.ts';

const here = { cwd: '/tmp' };

describe('durascope', () => {
  it('has the commands of its list', async () => {
    expect((await buildProgram([])).commands.map((command) => command.name())).toEqual(commandNames);
  });

  it('says which Node it needs where it is too old', () => {
    expect(nodeComplaint('20.20.2')).toMatch(
      /^durascope needs Node 22\.13 or later, and this is Node 20\.20\.2/,
    );
    expect(nodeComplaint('22.12.9')).toContain('needs Node');
    expect(nodeComplaint('22.13.0')).toBeUndefined();
    expect(nodeComplaint('24.0.0')).toBeUndefined();
  });

  it.each(commandNames)('%s has an example in its help, and --json', async (name) => {
    const command = (await buildProgram([])).commands.find((one) => one.name() === name);
    let help = '';
    command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toContain('--json');
    expect(help).toMatch(new RegExp(`Example:\\n  \\$ .*durascope ${name}`));
  });

  it('gives a subcommand the options after its name, where its parent has the same', async () => {
    const parents = (await buildProgram([])).commands.filter(({ commands }) => commands.length > 0);
    const leftToIt = parents.flatMap((parent) =>
      parent.commands.map((one) => [
        `${parent.name()} ${one.name()}`,
        parent.parseOptions([one.name(), '--owner', 'acme']).unknown,
      ]),
    );
    expect(leftToIt.map(([name]) => name)).toEqual(expect.arrayContaining(['keys create', 'mcp add']));
    expect(leftToIt).toEqual(leftToIt.map(([name]) => [name, ['--owner', 'acme']]));
  });

  it('ends with 0 for help, and with 2 and a hint for a command line that is wrong', async () => {
    const [help, unknown, missing, wrong] = await Promise.all([
      runCli(['run', '--help'], here),
      runCli(['rnu'], here),
      runCli(['run', 'support'], here),
      runCli(['confirm', 'call_1', '--input', '{oops'], here),
    ]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(unknown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Did you mean run?'),
    });
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("missing required argument 'input'"),
    });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('It is not JSON') });
  });
});

describe('docs/cli.md', () => {
  it('tells of every command', () => {
    const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
    expect([...page.matchAll(/^\| `durascope (\w+)/gm)].map(([, name]) => name)).toEqual(commandNames);
  });
});
