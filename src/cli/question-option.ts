import { Option } from 'commander';

export function questionOption(): Option {
  return new Option(
    '--question <id>',
    'which of the questions that the call asks while it runs, as "durascope gates" shows it: needed from the second one on',
  );
}
