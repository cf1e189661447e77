import type { EventCounter } from '@app/observability';
import { importAggregate, type ImportEvent } from './import';

const states: Readonly<Partial<Record<ImportEvent['type'], string>>> = {
  ImportReceived: 'received',
  ImportChecked: 'checked',
  ImportStarted: 'started',
  ImportPaused: 'paused',
  ImportDone: 'done',
  ImportCancelled: 'cancelled',
  ImportFailed: 'failed',
};

export const importCounter: EventCounter = {
  category: importAggregate.category,
  name: 'imports_total',
  help: 'Imports by the state that they came into; failed: the file could not be read',
  series: Object.values(states).map((state) => ({ state })),
  seriesOf: (type) => {
    const state = states[type as ImportEvent['type']];
    return state === undefined ? undefined : { state };
  },
};
