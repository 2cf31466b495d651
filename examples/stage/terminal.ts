import { styleText } from 'node:util';

const isTty = process.stdout.isTTY;

/** What is printed, so that streamed text, whole lines and a line that counts down don't run into each other. */
export class Terminal {
  #isMidLine = false;
  #countdown: NodeJS.Timeout | undefined;

  /** Goes on where the last piece ended. */
  stream(text: string): void {
    if (text === '') return;
    this.endCountdown();
    process.stdout.write(text);
    this.#isMidLine = !text.endsWith('\n');
  }

  line(text = ''): void {
    this.endCountdown();
    process.stdout.write(`${this.#isMidLine ? '\n' : ''}${text}\n`);
    this.#isMidLine = false;
  }

  /** What the demo itself tells, as opposed to the agent's events. */
  stage(text: string): void {
    this.line();
    for (const line of text.split('\n')) this.line(styleText('yellow', `▌ ${line}`));
  }

  /** Counts down in place until the next output; where lines can't be rewritten, says it once. */
  countDown(seconds: number, describe: (left: number) => string): void {
    this.line(styleText('yellow', `▌ ${describe(seconds)}`));
    if (!isTty) return;
    const until = Date.now() + seconds * 1000;
    this.#countdown = setInterval(() => {
      const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
      process.stdout.write(`\x1b[1A\x1b[2K${styleText('yellow', `▌ ${describe(left)}`)}\n`);
    }, 1000);
  }

  endCountdown(): void {
    clearInterval(this.#countdown);
    this.#countdown = undefined;
  }
}
