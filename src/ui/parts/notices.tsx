import { observable, useObservable } from '../api/observable.ts';

interface Notice {
  id: number;
  text: string;
}

const shownMs = 8_000;
const most = 5;
const notices = observable<readonly Notice[]>([]);
let lastId = 0;

/** A word on what happened, shown for a while and read aloud. */
export function tell(text: string): void {
  lastId += 1;
  const notice = { id: lastId, text };
  notices.set([...notices.get(), notice].slice(-most));
  setTimeout(() => dismiss(notice.id), shownMs);
}

function dismiss(id: number): void {
  notices.set(notices.get().filter((notice) => notice.id !== id));
}

export function Notices() {
  const shown = useObservable(notices);
  return (
    <div className="notices" role="log" aria-label="Notices" aria-live="polite">
      {shown.map(({ id, text }) => (
        <div key={id} className="notice">
          <span>{text}</span>
          <button type="button" className="quiet" aria-label={`Dismiss: ${text}`} onClick={() => dismiss(id)}>
            Dismiss
          </button>
        </div>
      ))}
    </div>
  );
}
