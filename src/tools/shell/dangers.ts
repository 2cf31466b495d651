import { isStatic, type ShellPart, type ShellWord } from './analysis.ts';
import { baseName } from './wrappers.ts';

/** Commands that destroy disks or stop the machine, whatever their arguments. */
const alwaysDangerous: Readonly<Record<string, string>> = {
  blkdiscard: 'erases a disk',
  cfdisk: 'changes the partitions of a disk',
  dd: 'writes raw data over files or disks',
  fdisk: 'changes the partitions of a disk',
  gdisk: 'changes the partitions of a disk',
  halt: 'stops the machine',
  mkswap: 'formats a disk',
  parted: 'changes the partitions of a disk',
  poweroff: 'stops the machine',
  reboot: 'restarts the machine',
  sfdisk: 'changes the partitions of a disk',
  shred: 'destroys files beyond recovery',
  shutdown: 'stops the machine',
  telinit: 'stops the machine',
  wipefs: 'erases a disk',
};

/** Why a part is dangerous by its command and options alone, as the end of a sentence that begins with the command. */
export function dangerOf(part: ShellPart): string | undefined {
  const name = baseName(part.name);
  const values = part.args.map(({ value }) => value);
  if (Object.hasOwn(alwaysDangerous, name)) return alwaysDangerous[name];
  if (name === 'mkfs' || name.startsWith('mkfs.')) return 'formats a disk';
  switch (name) {
    case 'rm':
      return isElevated(part) ? 'deletes as another user' : undefined;
    case 'chmod':
      return dangerOfMode(part.args);
    case 'chown':
    case 'chgrp':
      return isRecursive(values) ? 'changes the owner of a whole tree' : undefined;
    case 'init':
      return /^[06]$/.test(values[0] ?? '') ? 'stops the machine' : undefined;
    case 'systemctl':
      return values.some((value) => /^(?:poweroff|reboot|halt|kexec|rescue|emergency)$/.test(value))
        ? 'stops the machine'
        : undefined;
    case 'kill':
      return killsAll(values) ? 'ends every process' : undefined;
    case 'killall5':
      return 'ends every process';
    case 'crontab':
      return values.some((value) => /^-[a-z]*r/.test(value)) ? 'deletes all scheduled jobs' : undefined;
    case 'find':
      return values.some((value) => /^-(?:fls|fprint0?|fprintf)$/.test(value)) ? 'writes files' : undefined;
    default:
      return undefined;
  }
}

/** Whether an option asks for the whole tree, in any spelling. */
export function isRecursive(values: readonly string[]): boolean {
  const options = beforeDoubleDash(values);
  return options.some((value) => /^-[a-zA-Z]*[rR]/.test(value) || isAbbreviation(value, '--recursive'));
}

/** Options end at `--`. */
export function beforeDoubleDash(values: readonly string[]): readonly string[] {
  const end = values.indexOf('--');
  return end < 0 ? values : values.slice(0, end);
}

function isAbbreviation(value: string, option: string): boolean {
  return value.length > 3 && option.startsWith(value);
}

function isElevated(part: ShellPart): boolean {
  for (let outer = part.wrapper?.part; outer; outer = outer.wrapper?.part)
    if (/^(?:sudo|doas|su|runuser)$/.test(baseName(outer.name))) return true;
  return false;
}

function dangerOfMode(args: readonly ShellWord[]): string | undefined {
  const values = args.map(({ value }) => value);
  if (isRecursive(values)) return 'changes the permissions of a whole tree';
  const mode = args.find(({ value }) => !/^--|^-[cfvR]+$/.test(value));
  if (!mode) return undefined;
  if (!isStatic(mode)) return 'sets permissions that are known only when it runs';
  const digits = /^[0-7]{3,5}$/.exec(mode.value)?.[0];
  if (digits) {
    if (digits.length > 3 && /[2-7]/.test(digits.at(-4)!)) return 'lets the file run as its owner';
    return /[2367]$/.test(digits) ? 'lets everybody write' : undefined;
  }
  for (const clause of mode.value.split(',')) {
    if (/[+=][^,]*s/.test(clause)) return 'lets the file run as its owner';
    if (/^[ugo]*[oa][ugoa]*[+=][rxXst]*w/.test(clause)) return 'lets everybody write';
  }
  return undefined;
}

/** `kill -9 -1`, `kill -s KILL -- -1`, `kill 1` */
function killsAll(values: readonly string[]): boolean {
  if (/^(?:-l|-L|--list)/.test(values[0] ?? '')) return false;
  const takesSignal = /^-(?:s|n|-signal)$/.test(values[0] ?? '');
  const isSignal = /^-[A-Za-z0-9]+$|^--signal=/.test(values[0] ?? '');
  const pids = values.slice(takesSignal ? 2 : isSignal ? 1 : 0);
  // As the first word -1 is a signal, unless nothing follows.
  return (
    pids.some((value) => value === '-1' || value === '1' || value === '0') ||
    (values.length === 1 && values[0] === '-1')
  );
}
