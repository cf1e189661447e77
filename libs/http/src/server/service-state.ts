import { Injectable } from '@nestjs/common';

/**
 * Whether this process is stopping. Readiness reports it, so that load balancers notice before the listeners close and no
 * request meets a closed port.
 */
@Injectable()
export class ServiceState {
  private isStopping = false;

  /** True from the first signal to end; requests are still answered for a while. */
  get stopping(): boolean {
    return this.isStopping;
  }

  /** Final. */
  stop(): void {
    this.isStopping = true;
  }
}
