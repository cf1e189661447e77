import type { ComponentChildren, VNode } from 'preact';
import type { Action } from '../api/use-api';
import { ProblemNotice } from './problem-notice';

interface FormProps {
  readonly action: Action;
  /** Pointers of violations that its fields show. */
  readonly isShownElsewhere?: (pointer: string) => boolean;
  /** What the button says. */
  readonly submit: string;
  readonly onSubmit: () => Promise<void>;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

/** Fields, why the service did not take them, and one button. */
export function Form({ action, isShownElsewhere, submit, onSubmit, isWide = false, children }: FormProps): VNode {
  return (
    <form
      noValidate
      class={isWide ? undefined : 'narrow'}
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      <ProblemNotice problem={action.problem} {...(isShownElsewhere && { isShownElsewhere })} />
      {children}
      <div class="actions">
        <button class="primary" disabled={action.isRunning}>
          {submit}
        </button>
      </div>
    </form>
  );
}
