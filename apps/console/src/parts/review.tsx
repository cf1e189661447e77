import type { ComponentChildren, VNode } from 'preact';
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

/** The step before something is done to a credential, with the reason where others see one. */
export function Review({ act, words, isRunning, onConfirm, onBack }: ReviewProps): VNode {
  const [choice, setChoice] = useState('');
  const [own, setOwn] = useState('');
  const offered = reasons[act];
  return (
    <Confirm
      yes={confirmations[act]}
      isHarmless={act === 'reinstate' || act === 'reopen'}
      isRunning={isRunning}
      onConfirm={() => {
        const given = [choice, own.trim()].filter((one) => one !== '');
        onConfirm(given.join(': ').slice(0, 256));
      }}
      onBack={onBack}
    >
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
    </Confirm>
  );
}

interface ConfirmProps {
  readonly yes: TextKey;
  readonly isHarmless?: boolean;
  readonly isRunning: boolean;
  readonly onConfirm: () => void;
  readonly onBack: () => void;
  /** What will happen, in words, and what is to be chosen. */
  readonly children: ComponentChildren;
}

/** The step before what others see or what cannot be undone (WCAG 2.2, 3.3.4). */
export function Confirm({ yes, isHarmless = false, isRunning, onConfirm, onBack, children }: ConfirmProps): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <form
      noValidate
      class="review"
      aria-labelledby="review"
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm();
      }}
    >
      <h2 id="review" ref={heading} tabIndex={-1}>
        {text('credentials.review')}
      </h2>
      {children}
      <div class="actions">
        <button class={isHarmless ? 'primary' : 'danger'} disabled={isRunning}>
          {text(yes)}
        </button>
        <button type="button" onClick={onBack}>
          {text('credentials.back')}
        </button>
      </div>
    </form>
  );
}
