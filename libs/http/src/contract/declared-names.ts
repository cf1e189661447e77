import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

const known = new WeakMap<object, readonly string[]>();

/** The properties with a validator; every property of a body has one. */
export function declaredNames(type: Type<object>): readonly string[] {
  const before = known.get(type);
  if (before) return before;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = [...new Set(metadata.map(({ propertyName }) => propertyName))];
  known.set(type, names);
  return names;
}
