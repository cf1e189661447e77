import { type ArgumentMetadata, Injectable, NotFoundException, type PipeTransform } from '@nestjs/common';
import { unstorable } from './storable';

/** What the database cannot hold names nothing: such a path is not found. */
@Injectable()
export class StorablePipe implements PipeTransform {
  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    if (type === 'param' && unstorable(value).length > 0) throw new NotFoundException();
    return value;
  }
}
