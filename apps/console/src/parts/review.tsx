import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { text, type TextKey } from '../texts';
import { TextField } from './text-field';

/** What can be done to a credential and its offer, and asks first. */
export type Act = 'withdraw' | 'suspend' | 'reinstate' | 'revoke' | 'erase' | 'reopen';

const confirmations: Readonly<Record<Act, TextKey>> = {
  withdraw: 'credentials.withdrawYes',
  suspend: 'credentials.suspendYes',
  reinstate: 'credentials.reinstateYes',
  revoke: 'credentials.revokeYes',
  erase: 'credentials.eraseYes',
  reopen: 'credentials.reopenYes',
};

/** Reasons that are given often; the history of the credential keeps the words. */
const reasons: Readonly<Partial<Record<Act, readonly TextKey[]>>> = {
  revoke: [
    'credentials.reasonEnded',
    'credentials.reasonMistake',
    'credentials.reasonReplaced',
    'credentials.reasonLost',
    'credentials.reasonAsked',
  ],
  suspend: ['credentials.reasonLost', 'credentials.reasonUnderReview', 'credentials.reasonAsked'],
  reinstate: ['credentials.reasonFound', 'credentials.reasonReviewed'],
};

interface ReviewProps {
  readonly act: Act;
  /** What will happen, in words. */
  readonly words: string;
  readonly isRunning: boolean;
  readonly onConfirm: (reason: string) => void;
  readonly onBack: () => void;
}

/** The step before what others see or what cannot be undone (WCAG 2.2, 3.3.4). */
export function Review({ act, words, isRunning, onConfirm, onBack }: ReviewProps): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const [choice, setChoice] = useState('');
  const [own, setOwn] = useState('');
  const offered = reasons[act];
  useEffect(() => heading.current?.focus(), []);
  return (
    <form
      class="review"
      aria-labelledby="review"
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm(
          [choice, own.trim()]
            .filter((one) => one !== '')
            .join(': ')
            .slice(0, 256),
        );
      }}
    >
      <h2 id="review" ref={heading} tabIndex={-1}>
        {text('credentials.review')}
      </h2>
      <p>{words}</p>
      {offered && (
        <>
          <div class="field">
            <label for="reason">{text('credentials.reason')}</label>
            <select
              id="reason"
              value={choice}
              onChange={({ currentTarget }) => {
                setChoice(currentTarget.value);
              }}
            >
              <option value="">—</option>
              {offered.map((key) => (
                <option key={key} value={text(key)}>
                  {text(key)}
                </option>
              ))}
            </select>
          </div>
          <TextField
            id="own-reason"
            label={text('credentials.ownReason')}
            value={own}
            onText={setOwn}
            hint={text('credentials.reasonHint')}
          />
        </>
      )}
      <div class="actions">
        <button class={act === 'reinstate' || act === 'reopen' ? 'primary' : 'danger'} disabled={isRunning}>
          {text(confirmations[act])}
        </button>
        <button type="button" onClick={onBack}>
          {text('credentials.back')}
        </button>
      </div>
    </form>
  );
}
