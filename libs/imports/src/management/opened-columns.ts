import { Problem } from '@app/primitives/problems';
import type { Import } from '../import';
import type { ImportColumns, ImportSeal } from '../rows/import-seals';

/** Throws `conflict` before they are known. */
export function columnsOf(found: Import, seal: ImportSeal): ImportColumns {
  if (found.sealedColumns !== undefined) return seal.openColumns(found.sealedColumns);
  throw new Problem('conflict', `The import is ${found.status}, and its columns are not known.`);
}

export function erased(importId: string): Problem {
  return new Problem('conflict', `What the import ${importId} was made of is erased.`);
}
