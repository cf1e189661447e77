/** What `@Type` declared; the package ships it without types of its own at this path. */
declare module 'class-transformer/cjs/storage' {
  import type { Type } from '@nestjs/common';

  export const defaultMetadataStorage: {
    findTypeMetadata(target: Type<object>, property: string): { readonly typeFunction: () => Type<object> } | undefined;
  };
}
