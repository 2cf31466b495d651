import { useState } from 'react';
import type { Gate } from '../api/types.ts';
import { confirmAll } from './answer-gate.ts';
import { DenyForm } from './confirm-form.tsx';
import { GateCard } from './gate-card.tsx';
import { useSubmit } from './use-submit.ts';

/** Gates, oldest first; those that ask can be answered together. */
export function GateList({ gates }: { gates: readonly Gate[] }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const choosable = gates.filter(({ state, question }) => state === 'asking' && !question);
  const chosen = choosable.filter(({ callId }) => selected.has(callId));
  const toggle = (callId: string): void => {
    const next = new Set(selected);
    if (!next.delete(callId)) next.add(callId);
    setSelected(next);
  };
  const ids = new Set(choosable.map(({ callId }) => callId));
  return (
    <>
      {choosable.length < 2 ? null : (
        <SeveralBar
          chosen={chosen}
          isAll={chosen.length === choosable.length}
          onAll={(isAll) => setSelected(isAll ? ids : new Set())}
        />
      )}
      <ul className="gates">
        {gates.map((gate) => (
          <li key={gate.callId}>
            <GateCard
              gate={gate}
              select={
                choosable.length > 1 && ids.has(gate.callId) ? (
                  <input
                    type="checkbox"
                    aria-label={`Select ${gate.name} of session ${gate.sessionId}`}
                    checked={selected.has(gate.callId)}
                    onChange={() => toggle(gate.callId)}
                  />
                ) : null
              }
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface SeveralBarProps {
  chosen: readonly Gate[];
  isAll: boolean;
  onAll: (isAll: boolean) => void;
}

function SeveralBar({ chosen, isAll, onAll }: SeveralBarProps) {
  const [isDenying, setDenying] = useState(false);
  const submit = useSubmit();
  const none = chosen.length === 0;
  const count = none ? 'selected' : `${chosen.length} selected`;
  return (
    <div className="several" role="group" aria-label="Several at once">
      <label>
        <input type="checkbox" checked={isAll} onChange={({ target }) => onAll(target.checked)} /> All that
        ask
      </label>
      {isDenying && !none ? (
        <DenyForm
          onCancel={() => setDenying(false)}
          send={async (reason) => {
            await confirmAll(chosen, { decision: 'deny', ...(reason === '' ? {} : { reason }) });
            setDenying(false);
          }}
        />
      ) : (
        <div className="buttons">
          <button
            type="button"
            className="primary"
            disabled={none || submit.isBusy}
            onClick={() => submit.run(() => confirmAll(chosen, { decision: 'allow' }))}
          >
            Approve {count}
          </button>
          <button type="button" className="danger" disabled={none} onClick={() => setDenying(true)}>
            Deny {count}
          </button>
        </div>
      )}
    </div>
  );
}
