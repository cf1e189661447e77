import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** What the framework says of its own start: which modules and routes there are, which the code says as well. */
const ownStart = new Set<unknown>([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Nest's logger on pino, without the framework's noise at each start. */
@Injectable()
export class ServiceLogger extends Logger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!ownStart.has(rest.at(-1))) super.log(message, ...rest);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    // Why a start failed is said by `main`, in one sentence.
    if (rest.at(-1) !== 'ExceptionHandler') super.error(message, ...rest);
  }
}
