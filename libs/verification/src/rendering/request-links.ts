import { Settings } from '@app/config';
import { type LinkForm, type PageAddresses, pageAddresses } from '@app/pages';
import type { LinkVariant } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import { isLinked, type RequestTerms } from '../request/request-terms';
import { RequestRendering } from './request-rendering';
import { RequestSecrets } from '../request/request-secrets';
import { linkNames } from '../request/variant-names';

interface RenderedLink {
  readonly variant: LinkVariant;
  readonly link: string;
}

/** A request with when it was made. */
export interface MadeRequest {
  readonly request: RequestTerms;
  readonly createdAt: Date;
}

/** The links to a request: for wallets of each generation that can be asked, the one that is shown first, then the newest. */
@Injectable()
export class RequestLinks {
  constructor(
    private readonly rendering: RequestRendering,
    private readonly secrets: RequestSecrets,
    private readonly settings: Settings,
  ) {}

  of(made: MadeRequest) {
    return made.request.returnToPage ? this.ofPageAlone(made.request) : this.ofWallets(made);
  }

  /** Its links for wallets are made by the page, one for each browser. */
  private ofPageAlone(request: RequestTerms) {
    const links = this.ofPage(request);
    const names = Object.values(linkNames);
    const reason = `the wallet returns to the page of the request, which has the link: ${links.page}`;
    return {
      authorizationRequest: links.page,
      variants: {
        ...Object.fromEntries(names.map((name) => [name, null])),
        unavailable: Object.fromEntries(names.map((name) => [name, reason])),
      },
      links,
    };
  }

  private ofWallets(made: MadeRequest) {
    const [usual, ...others] = this.rendered(made);
    const links = [usual, ...others].map(({ variant, link }): [string, string] => [linkNames[variant], link]);
    const unavailable = Object.entries(made.request.unavailable).map(([variant, reason]): [string, string] => [
      linkNames[variant as LinkVariant],
      reason,
    ]);
    return {
      // What the QR code shows.
      authorizationRequest: usual.link,
      variants: {
        ...Object.fromEntries(unavailable.map(([name]) => [name, null])),
        ...Object.fromEntries(links),
        unavailable: Object.fromEntries(unavailable),
      },
      links: this.ofPage(made.request),
    };
  }

  ofPage(request: RequestTerms): PageAddresses {
    return pageAddresses(this.settings.applicationUrl, 'r', this.secrets.handles.textOf(request));
  }

  /** The forms of the link that the page of the request has. */
  forms(made: MadeRequest): readonly [LinkForm, ...LinkForm[]] {
    const [usual, ...others] = this.rendered(made);
    const form = ({ variant, link }: RenderedLink) => ({ id: linkNames[variant], name: variant, link });
    return [{ id: undefined, name: undefined, link: usual.link }, ...others.map(form)];
  }

  private rendered({ request, createdAt: issuedAt }: MadeRequest): readonly [RenderedLink, ...RenderedLink[]] {
    const { shownVariant } = this.settings.verification;
    const isShown = ({ variant }: { readonly variant: LinkVariant }) => linkNames[variant] === shownVariant;
    const linked = request.variants.filter(isLinked);
    const inOrder = [...linked.filter(isShown), ...linked.filter((terms) => !isShown(terms))];
    const [usual, ...others] = inOrder.map((terms) => ({
      variant: terms.variant,
      link: this.rendering.link(request, terms, { issuedAt }),
    }));
    if (!usual) throw new Error('every request can be asked in one generation at least');
    return [usual, ...others];
  }
}
