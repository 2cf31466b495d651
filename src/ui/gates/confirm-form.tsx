import { useId, useState, type FormEvent } from 'react';
import { ApiError } from '../../react/index.ts';
import type { Gate, PermissionRule } from '../api/types.ts';
import { DiffView } from '../parts/diff-view.tsx';
import { parse, prettyJson } from '../parts/arguments-view.tsx';
import { answerGate } from './answer-gate.ts';
import { ruleText } from './rule-text.ts';
import { SubmitError } from './submit-error.tsx';
import { useSubmit } from './use-submit.ts';

type Mode = 'plain' | 'edit' | 'deny';

/** Approve as it is, edit and approve, or deny with a reason; and what of it is remembered. */
export function ConfirmForm({ gate }: { gate: Gate }) {
  const [mode, setMode] = useState<Mode>('plain');
  const [left, setLeft] = useState<Mode>();
  const [rule, setRule] = useState<PermissionRule>();
  const submit = useSubmit();
  const close = (): void => {
    submit.clear();
    setLeft(mode);
    setMode('plain');
  };
  const remember = rule ? { remember: [rule] } : {};
  if (mode === 'edit')
    return (
      <EditForm
        gate={gate}
        onCancel={close}
        send={(input) => answerGate(gate, 'confirmations', { decision: 'allow', input, ...remember })}
      />
    );
  if (mode === 'deny')
    return (
      <DenyForm
        onCancel={close}
        send={(reason) =>
          answerGate(gate, 'confirmations', { decision: 'deny', ...(reason === '' ? {} : { reason }) })
        }
      />
    );
  return (
    <div className="answer">
      <Remember gate={gate} rule={rule} onChange={setRule} />
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={submit.isBusy}
          onClick={() =>
            submit.run(() => answerGate(gate, 'confirmations', { decision: 'allow', ...remember }))
          }
        >
          Approve
          <Of gate={gate} />
        </button>
        <button type="button" autoFocus={left === 'edit'} onClick={() => setMode('edit')}>
          Edit
          <Of gate={gate} />
        </button>
        <button type="button" className="danger" autoFocus={left === 'deny'} onClick={() => setMode('deny')}>
          Deny
          <Of gate={gate} />
        </button>
      </div>
      <SubmitError error={submit.error} />
    </div>
  );
}

function Of({ gate }: { gate: Gate }) {
  return <span className="unseen"> {gate.name}</span>;
}

interface RememberProps {
  gate: Gate;
  rule: PermissionRule | undefined;
  onChange: (rule: PermissionRule | undefined) => void;
}

function Remember({ gate: { isSafety, suggestedRules = [] }, rule, onChange }: RememberProps) {
  const id = useId();
  if (isSafety || suggestedRules.length === 0) return null;
  return (
    <div className="remember">
      <label htmlFor={id}>Remember for this session</label>
      <select
        id={id}
        value={rule ? ruleText(rule) : ''}
        onChange={({ target }) => onChange(suggestedRules.find((one) => ruleText(one) === target.value))}
      >
        <option value="">nothing: ask again</option>
        {suggestedRules.map((one) => (
          <option key={ruleText(one)} value={ruleText(one)}>
            {one.behavior} {ruleText(one)}
          </option>
        ))}
      </select>
    </div>
  );
}

function EditForm({
  gate,
  send,
  onCancel,
}: {
  gate: Gate;
  send: (input: unknown) => Promise<void>;
  onCancel: () => void;
}) {
  const id = useId();
  const before = prettyJson(gate.arguments);
  const [text, setText] = useState(before);
  const submit = useSubmit();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    submit.run(async () => {
      const input = parse(text);
      if (input === undefined) throw new ApiError(malformed, 'This is no JSON: correct it, then approve');
      await send(input);
    });
  };
  return (
    <form className="answer" onSubmit={save}>
      <label htmlFor={id}>Arguments of {gate.name}, as JSON</label>
      <textarea
        id={id}
        className="code"
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        autoFocus
        spellCheck={false}
        aria-invalid={submit.error !== undefined}
        aria-describedby={`${id}-error`}
        onChange={({ target }) => setText(target.value)}
      />
      {text === before ? null : <DiffView before={before} after={text} />}
      <SubmitError error={submit.error} id={`${id}-error`} />
      <div className="buttons">
        <button type="submit" className="primary" disabled={submit.isBusy}>
          Approve with these arguments
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const malformed = { code: 'malformed_json', status: 400 };

export function DenyForm({
  send,
  onCancel,
}: {
  send: (reason: string) => Promise<void>;
  onCancel: () => void;
}) {
  const id = useId();
  const [reason, setReason] = useState('');
  const submit = useSubmit();
  return (
    <form
      className="answer"
      onSubmit={(event) => {
        event.preventDefault();
        submit.run(() => send(reason.trim()));
      }}
    >
      <label htmlFor={id}>Reason, which the agent reads</label>
      <input id={id} value={reason} autoFocus onChange={({ target }) => setReason(target.value)} />
      <SubmitError error={submit.error} />
      <div className="buttons">
        <button type="submit" className="danger" disabled={submit.isBusy}>
          Deny
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
