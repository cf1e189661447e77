import { escapePointer } from '@app/json';
import type { Violation } from '@app/problem-details';
import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { nestedTypeOf } from './nested';

/**
 * An instance of a DTO class with the members of a JSON object; members declared with `@Nested` become instances as well,
 * everything else stays the very value that was sent. class-transformer's own `plainToInstance` will not do: on its way
 * through free JSON it loses members named like something every object inherits (`toString`) and fails on `constructor`.
 * @param unknown receives a violation for each member that the class does not declare
 */
export function instanceOf(dto: Type<object>, plain: object, pointer: string, unknown: Violation[]): object {
  const instance = new dto() as Record<string, unknown>;
  const declared = declaredMembers(dto);
  for (const [name, value] of Object.entries(plain)) {
    const place = `${pointer}/${escapePointer(name)}`;
    if (!declared.has(name)) {
      unknown.push({ pointer: place, message: 'This member is not known here.' });
      continue;
    }
    const type = nestedTypeOf(dto, name);
    instance[name] = type ? typed(type, value, place, unknown) : value;
  }
  return instance;
}

function typed(type: Type<object>, value: unknown, pointer: string, unknown: Violation[]): unknown {
  if (Array.isArray(value)) return value.map((one, index) => typed(type, one, `${pointer}/${index}`, unknown));
  return typeof value === 'object' && value !== null ? instanceOf(type, value, pointer, unknown) : value;
}

/** The members with a validator; a DTO gives every member one. */
function declaredMembers(dto: Type<object>): ReadonlySet<string> {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return new Set(metadata.map(({ propertyName }) => propertyName));
}
