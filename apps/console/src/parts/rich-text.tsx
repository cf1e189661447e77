import type { ComponentChild, VNode } from 'preact';
import { type TextKey, textParts } from '../texts';

interface RichTextProps {
  readonly of: TextKey;
  /** Elements in the places of `{name}`, such as links. */
  readonly count?: number;
  readonly with: Readonly<Record<string, ComponentChild>>;
}

/** A text with elements in it, in the order of the language. */
export function RichText({ of, count, with: values }: RichTextProps): VNode {
  return <>{textParts(of, values, count)}</>;
}
