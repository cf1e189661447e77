import type { ComponentChildren, VNode } from 'preact';
import type { Resource } from '../api/use-api';
import { text } from '../texts';
import { ProblemNotice } from './problem-notice';

interface ResourceViewProps<T> {
  readonly resource: Resource<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** What was read, or why it could not be. */
export function ResourceView<T>({ resource: { value, problem }, children }: ResourceViewProps<T>): VNode {
  return (
    <>
      <ProblemNotice problem={problem} />
      {value !== undefined ? children(value) : !problem && <p role="status">{text('common.loading')}</p>}
    </>
  );
}
