import { type Authority, certify } from '@app/credentials/fixtures/certificates';
import type { Settings } from '@app/config';
import { type OutboundClient, OutboundError } from '@app/outbound';
import type { JsonObject } from '@app/primitives/json';
import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  entities,
  entity,
  information,
  list,
  pid,
  service,
  services,
  signer,
  wallets,
} from '../../fixtures/trusted-entities';
import { TrustLists } from './trust-lists';

const now = new Date('2026-11-22T12:00:00Z');
const later = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);
const base = 'https://lists.example';
const pages = new Map<string, string>();
const asked: string[] = [];
const outbound = {
  get: (url: string) => {
    asked.push(url);
    const body = pages.get(url);
    if (body === undefined)
      return Promise.reject(new OutboundError('unexpected-status', 'the answer has the status 500'));
    return Promise.resolve({ body: Buffer.from(body), contentType: 'application/jose', cacheable: false });
  },
};
type Kept = ConstructorParameters<typeof TrustLists>[2];

describe('a list of trusted entities', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'lists-'));
    writeFileSync(join(directory, 'operator.pem'), signer.certificate.toString());
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const publish = (body: string): void => {
    pages.set(`${base}/list`, body);
  };
  const open = (entry = `${base}/list ${join(directory, 'operator.pem')}`, kept?: Kept): TrustLists =>
    new TrustLists({ trust: { lists: [entry] } } as unknown as Settings, outbound as unknown as OutboundClient, kept);

  describe('that points to others', () => {
    const other = certify({ name: 'other operator' });
    const pointer = (url: string, ...signers: readonly Authority[]): JsonObject => ({
      LoTELocation: url,
      ServiceDigitalIdentities: [
        { X509Certificates: signers.map(({ certificate }) => ({ val: certificate.raw.toString('base64') })) },
      ],
    });
    const publishOther = (by: Authority, entitiesOf = 'Other'): void => {
      const body = list({}, [entity(entitiesOf, service(`${services}EAA/Issuance`, wallets))], by);
      pages.set(`${base}/other`, body);
    };
    const names = (lists: TrustLists, at = now): string[] => lists.anchors(at).map(({ name }) => name);
    const pinning = (...signers: readonly Authority[]): TrustLists => {
      const file = join(directory, 'pinned.pem');
      writeFileSync(file, signers.map(({ certificate }) => certificate.toString()).join(''));
      return open(`${base}/list ${file} urn:a`);
    };
    const pointing = (...pointers: JsonObject[]): void => {
      publish(list({ PointersToOtherLoTE: [pointer(`${base}/list`, signer), ...pointers] }, []));
    };

    it('leads to those that a pinned signer has signed, for as long as it points to them', async () => {
      publishOther(other);
      pointing(pointer(`${base}/other`, other));
      const lists = pinning(signer, other);
      expect(await lists.refresh(now)).toBe(true);
      expect(lists.anchors(now)).toMatchObject([{ name: 'Other', types: ['urn:a'], list: `${base}/other` }]);
      expect(lists.faults()).toEqual([]);
      publish(list({ LoTESequenceNumber: 8 }, []));
      await lists.refresh(later(60));
      expect(names(lists, later(60))).toEqual([]);
    });

    it('is not followed to signers that are not pinned, or that it does not name', async () => {
      publishOther(other);
      pointing(pointer(`${base}/other`, other));
      const before = asked.length;
      const unpinned = pinning(signer);
      await unpinned.refresh(now);
      expect([names(unpinned), asked.length]).toEqual([[], before + 1]);
      pointing(pointer(`${base}/other`, signer));
      const unnamed = pinning(signer, other);
      await unnamed.refresh(now);
      expect(names(unnamed)).toEqual([]);
      expect(unnamed.faults()).toMatchObject([{ source: `${base}/other`, found: 'a list of another signer' }]);
    });

    it('takes those it leads to along when it ends', async () => {
      publishOther(other);
      publish(list({ NextUpdate: '2026-11-22T13:00:00Z', PointersToOtherLoTE: [pointer(`${base}/other`, other)] }, []));
      const lists = pinning(signer, other);
      await lists.refresh(now);
      expect([names(lists), names(lists, later(60))]).toEqual([['Other'], []]);
    });
  });

  describe('is signed by its operator', () => {
    const stated = { SchemeOperatorName: [{ lang: 'en', value: 'Example, Agency' }], SchemeTerritory: 'EL' };
    const faultsOf = async (organization: string, country: string, changes: JsonObject = {}) => {
      const by = certify({ name: 'operator', party: { organization }, place: { country } });
      const file = join(directory, 'named.pem');
      writeFileSync(file, by.certificate.toString());
      publish(list({ ...stated, ...changes }, entities, by));
      const lists = open(`${base}/list ${file}`);
      await lists.refresh(now);
      return lists.faults().map(({ found }) => found);
    };

    it.each<[string, string, string, JsonObject, readonly string[]]>([
      ['in its name and country', 'Example, Agency', 'GR', {}, []],
      ['whose certificate does not name it', '', '', {}, []],
      ['of the Union, by a certificate of a member state', 'Example, Agency', 'BE', { SchemeTerritory: 'EU' }, []],
      [
        'and not another organisation',
        'Another',
        'GR',
        {},
        ['the operator "Example, Agency", and a signer of another organisation (O)'],
      ],
      [
        'and not one of another country',
        'Example, Agency',
        'DE',
        {},
        ['the territory "EL", and a signer of another country (C)'],
      ],
    ])('%s', async (_, organization, country, changes, found) => {
      expect(await faultsOf(organization, country, changes)).toEqual(found);
    });
  });

  it('is late within 48 hours of its end, or after half of a shorter time, or when it was never read', async () => {
    const lateAt = async (issued: string, end: string, at = now) => {
      publish(list({ ListIssueDateTime: issued, NextUpdate: end }));
      const lists = open();
      await lists.refresh(now);
      return lists.late(at).length > 0;
    };
    const long = ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'] as const;
    expect(await lateAt(...long, new Date('2026-11-28T23:00:00Z'))).toBe(false);
    expect(await lateAt(...long, new Date('2026-11-29T01:00:00Z'))).toBe(true);
    const daily = ['2026-11-22T10:00:00Z', '2026-11-23T10:00:00Z'] as const;
    expect(await lateAt(...daily)).toBe(false);
    expect(await lateAt(...daily, later(11 * 60))).toBe(true);
    pages.delete(`${base}/list`);
    const none = open();
    await none.refresh(now);
    expect(none.late(now)).toEqual([`${base}/list`]);
  });

  describe('is kept', () => {
    const keeping = () => {
      const rows = new Map<string, string>();
      const forced: boolean[] = [];
      const kept = {
        read: (url: string) => Promise.resolve(rows.get(url)),
        keep: ({ url, text, isForced }: { url: string; text: string; isForced: boolean }) => {
          rows.set(url, text);
          forced.push(isForced);
          return Promise.resolve();
        },
      } as unknown as Kept;
      return { rows, forced, kept };
    };

    it('for a process that starts while it cannot be had, until it ends', async () => {
      const { kept, forced } = keeping();
      publish(list());
      await open(undefined, kept).refresh(now);
      pages.delete(`${base}/list`);
      const started = open(undefined, kept);
      expect(await started.refresh(later(60))).toBe(true);
      expect(started.anchors(later(60))).toHaveLength(4);
      expect(started.faults()).toMatchObject([{ found: expect.stringContaining('no list') as string }]);
      expect(started.anchors(new Date(information.NextUpdate))).toEqual([]);
      const tooLate = open(undefined, kept);
      await tooLate.refresh(new Date(information.NextUpdate));
      expect(tooLate.anchors(new Date(information.NextUpdate))).toEqual([]);
      publish(list({ LoTESequenceNumber: 8 }));
      await started.refresh(later(61));
      await started.refresh(later(122));
      expect(forced).toEqual([true, false]);
    });

    it('with its number, below which none is accepted after a restart', async () => {
      const { kept } = keeping();
      publish(list());
      await open(undefined, kept).refresh(now);
      publish(list({ LoTESequenceNumber: 6 }, []));
      const started = open(undefined, kept);
      await started.refresh(later(1));
      expect(started.anchors(later(1))).toHaveLength(4);
      expect(started.faults()).toMatchObject([{ found: 'an older list than before' }]);
    });

    it.each<[string, () => string]>([
      ['changed', () => list().replace(/\.[^.]+\./, '.e30.')],
      ['put in its place by another signer', () => list({}, entities, pid)],
    ])('and counts for nothing when it was %s in the database', async (_, text) => {
      const { kept, rows } = keeping();
      rows.set(`${base}/list`, text());
      pages.delete(`${base}/list`);
      const started = open(undefined, kept);
      await started.refresh(now);
      expect(started.anchors(now)).toEqual([]);
    });

    it('in memory alone while the database does not answer', async () => {
      const away = { read: () => Promise.reject(new Error('away')), keep: () => Promise.reject(new Error('away')) };
      publish(list());
      const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      const lists = open(undefined, away as unknown as Kept);
      await lists.refresh(now);
      expect(warned).toHaveBeenCalledTimes(2);
      warned.mockRestore();
      expect(lists.anchors(now)).toHaveLength(4);
      expect(lists.faults()).toEqual([]);
    });
  });
});
