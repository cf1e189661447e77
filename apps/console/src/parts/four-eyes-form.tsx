import type { VNode } from 'preact';
import type { Template } from '../api/resources';
import { text } from '../texts';
import { TextField, Tick } from './text-field';

type FourEyes = NonNullable<Template['fourEyes']>;

/** Why the rows of an import are no number of rows; undefined when nothing is wrong. */
export function rowsFault(fourEyes: FourEyes | undefined): string | undefined {
  const rows = fourEyes?.bulkOver;
  return rows === undefined || (Number.isInteger(rows) && rows >= 0) ? undefined : text('designs.rowsFault');
}

interface FourEyesFormProps {
  readonly fourEyes: FourEyes | undefined;
  readonly onFourEyes: (fourEyes: FourEyes | undefined) => void;
}

/** What a second person has to approve. */
export function FourEyesForm({ fourEyes = {}, onFourEyes }: FourEyesFormProps): VNode {
  const set = (change: { readonly [Name in keyof FourEyes]?: FourEyes[Name] | undefined }): void => {
    const kept = Object.entries({ ...fourEyes, ...change }).filter(([, value]) => value !== undefined);
    onFourEyes(kept.length === 0 ? undefined : Object.fromEntries(kept));
  };
  return (
    <fieldset>
      <legend>{text('designs.two')}</legend>
      <Tick
        label={text('designs.twoRevoke')}
        isOn={fourEyes.revoke === true}
        onChange={(isOn) => {
          set({ revoke: isOn ? true : undefined });
        }}
      />
      <Tick
        label={text('designs.twoPublish')}
        isOn={fourEyes.publish === true}
        onChange={(isOn) => {
          set({ publish: isOn ? true : undefined });
        }}
      />
      <TextField
        id="bulk-over"
        label={text('designs.twoRows')}
        value={fourEyes.bulkOver === undefined ? '' : String(fourEyes.bulkOver)}
        onText={(rows) => {
          set({ bulkOver: rows.trim() === '' ? undefined : Number(rows) });
        }}
        fault={rowsFault(fourEyes)}
      />
    </fieldset>
  );
}
