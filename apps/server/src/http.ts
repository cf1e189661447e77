import { Settings } from '@app/config';
import { LeanExpressAdapter, rawBody, requestContext } from '@app/http';
import { Metrics } from '@app/metrics';
import type { DynamicModule, INestApplication, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { bodyLimitOf, connections, limitedServer } from './limits';
import { hideForeign } from './listener-split';
import { Listeners } from './listeners';
import { managementAccess } from './management-access';
import { answeredRequests } from './answered-requests';
import { countedBy } from './business-metrics';
import { publicPath } from './public-path';
import { RouteTable } from './route-table';
import { ServerModule } from './server.module';

export interface ServerOptions {
  /** The settings of a test; the process's own environment when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly logger?: LoggerService | false;
}

/** Builds the service without listening. Rejects with a readable error when settings or database are wrong. */
export function createServer({ environment, logger }: ServerOptions = {}): Promise<INestApplication> {
  return createHttpApplication(ServerModule.forRoot(environment), logger);
}

/** What every request passes, around any root module that imports `SettingsModule` and `HttpModule`. */
export async function createHttpApplication(
  root: DynamicModule | Type,
  logger?: LoggerService | false,
): Promise<INestApplication> {
  const adapter = new LeanExpressAdapter((answer) => limitedServer(answer, connections.front));
  const app = await NestFactory.create<NestExpressApplication>(root, adapter, {
    bodyParser: false,
    abortOnError: false,
    ...(logger !== undefined && { logger }),
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  const { applicationUrl, http } = app.get(Settings);
  app.set('trust proxy', [...http.trustedProxies]);
  const { pathname } = new URL(applicationUrl);
  const metrics = app.get(Metrics);
  if (metrics.enabled) app.use(answeredRequests(countedBy(metrics)));
  app.use(publicPath(pathname.replace(/\/+$/, '')));
  app.use(hideForeign(app.get(Listeners)));
  app.use(requestContext);
  app.use(managementAccess(app));
  app.use(rawBody(bodyLimitOf));
  try {
    await app.init();
  } catch (error) {
    // What is open by now, the database for one, must not outlive a start that failed.
    await app.close().catch(() => undefined);
    throw error;
  }
  app.get(RouteTable).read(app);
  return app;
}
