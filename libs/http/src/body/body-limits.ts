import { SetMetadata } from '@nestjs/common';
import type { BodyLimit } from './raw-body';

const kibi = 1024;
const mebi = 1024 * kibi;

/** How large a body may be, and how long it may take. */
export const bodyLimits = {
  /** Wallets are unauthenticated callers and need little. */
  wallet: { bytes: 64 * kibi, seconds: 30, together: 32 * mebi },
  /** Presentations may hold many disclosures; encrypted ones are a third larger. */
  presentation: { bytes: 2 * mebi, seconds: 30, together: 64 * mebi },
  management: { bytes: 256 * kibi, seconds: 30, together: 32 * mebi },
  /** A thousand credentials at once; the answer may take six times as long as another one. */
  batch: { bytes: 8 * mebi, seconds: 60, together: 128 * mebi, patience: 6 },
  /** A spreadsheet, with the form around it. */
  file: { bytes: 20 * mebi, seconds: 120, together: 128 * mebi, patience: 3 },
} as const satisfies Readonly<Record<string, BodyLimit & { readonly patience?: number }>>;

/** `256 KiB`, of a limit in whole KiB. */
export function sizeText(bytes: number): string {
  return bytes % mebi === 0 ? `${bytes / mebi} MiB` : `${bytes / kibi} KiB`;
}

export type BodyLimitName = keyof typeof bodyLimits;

const metadataKey = 'sealwright:body-limit';

/** On a controller or a method whose bodies have another limit than is usual for its audience. */
export function LimitBody(name: BodyLimitName): ClassDecorator & MethodDecorator {
  return SetMetadata(metadataKey, name);
}

export function declaredBodyLimit(target: object): BodyLimitName | undefined {
  return Reflect.getMetadata(metadataKey, target) as BodyLimitName | undefined;
}
