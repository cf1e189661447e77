import { ConsoleLogger } from '@nestjs/common';

/** Nest's logger without the stack that Nest prints of an error at start; `main` says the same in one sentence. */
export class StartLogger extends ConsoleLogger {
  override error(message: unknown, ...rest: string[]): void {
    if (rest.at(-1) !== 'ExceptionHandler') super.error(message, ...rest);
  }
}
