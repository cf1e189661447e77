import { Injectable } from '@nestjs/common';

/**
 * Whether this process still wants work. Readiness reads it: a load balancer learns of the end before the listeners
 * close, so that no request meets a closed port.
 */
@Injectable()
export class ServiceState {
  private isStopping = false;

  /** True from the moment the process was told to end; requests are answered a little longer. */
  get stopping(): boolean {
    return this.isStopping;
  }

  /** There is no way back. */
  stop(): void {
    this.isStopping = true;
  }
}
