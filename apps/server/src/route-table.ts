import type { AllowedMethods } from '@app/http';
import type { INestApplication } from '@nestjs/common';

/** The part of Express' router that names its routes. */
interface ExpressLayer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Which methods each address has, and which route takes it; filled once the application knows its routes. */
export class RouteTable {
  private layers: readonly ExpressLayer[] = [];

  readonly methodsOf: AllowedMethods = (path) => {
    const methods = new Set<string>();
    for (const layer of this.layers) {
      if (!layer.route || !matches(layer, path)) continue;
      for (const [method, has] of Object.entries(layer.route.methods)) {
        if (has) methods.add(method.toUpperCase());
      }
    }
    return [...methods].sort();
  };

  /** `/v0/offers/:offerId` for the path of an offer; `undefined` when no route has it with this method. */
  readonly templateOf = (method: string, path: string): string | undefined => {
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    return this.layers.find((layer) => layer.route?.methods[verb] === true && matches(layer, path))?.route?.path;
  };

  read(app: INestApplication): void {
    const express = app.getHttpAdapter().getInstance() as { readonly router: { readonly stack: ExpressLayer[] } };
    this.layers = express.router.stack.filter(({ route }) => route !== undefined);
  }
}

function matches(layer: ExpressLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    // A path with a broken percent encoding matches nothing.
    return false;
  }
}
