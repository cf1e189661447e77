import type { VNode } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Image as StoredImage } from '../api/resources';
import { ApiContext, useAction } from '../api/use-api';
import { extremesOf } from '../form/card';
import { text } from '../texts';
import { ProblemNotice } from './problem-notice';
import { TextField } from './text-field';

interface PictureFieldProps {
  readonly id: string;
  readonly label: string;
  readonly fileLabel: string;
  /** An address. */
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A picture to upload, or the address of one that is elsewhere. */
export function PictureField({ id, label, fileLabel, value, onText }: PictureFieldProps): VNode {
  const action = useAction();
  const upload = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (!file) return;
    const made = (await action.call('POST', 'images', file)) as StoredImage | undefined;
    // The same file can be chosen again, after it was changed.
    input.value = '';
    if (made) onText(made.uri);
  };
  return (
    <>
      <div class="field">
        <label for={`${id}-file`}>{fileLabel}</label>
        <input
          id={`${id}-file`}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby={`${id}-file-notes`}
          onChange={({ currentTarget }) => void upload(currentTarget)}
        />
        <p id={`${id}-file-notes`} class="hint">
          {text('designs.fileHint')}
        </p>
      </div>
      <ProblemNotice problem={action.problem} />
      <TextField {...{ id, label, value, onText }} hint={text('designs.imageAddressHint')} />
    </>
  );
}

/** A picture that was uploaded here or that the address has within, as such an address: this page loads no others. */
export function usePicture(address: string): string | undefined {
  const api = useContext(ApiContext);
  const [loaded, setLoaded] = useState<{ readonly address: string; readonly data: string }>();
  const [, imageId] = /\/images\/([0-9a-f]{64})\.\w+$/.exec(address) ?? [];
  useEffect(() => {
    let isGone = false;
    const load = async (id: string): Promise<void> => {
      const data = await addressWith(await api.download(`images/${id}`));
      if (!isGone) setLoaded({ address, data });
    };
    // What is not there is shown by its name.
    if (imageId !== undefined) load(imageId).catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [api, address, imageId]);
  if (address.startsWith('data:image/')) return address;
  return loaded?.address === address ? loaded.data : undefined;
}

/** The darkest and the lightest colour of a picture, once they are known. @param ground what shines through */
export function useExtremes(data: string | undefined, ground: string): readonly string[] {
  const [colours, setColours] = useState<readonly string[]>([]);
  useEffect(() => {
    let isGone = false;
    setColours([]);
    const look = async (picture: string): Promise<void> => {
      const found = await coloursIn(picture, ground);
      if (!isGone) setColours(found);
    };
    if (data !== undefined) look(data).catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [data, ground]);
  return colours;
}

function addressWith(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      resolve(reader.result as string);
    };
    reader.onerror = reject;
    reader.readAsDataURL(file);
  });
}

/** Points in which a picture is looked at: of a card, a third of the height of a letter. */
const points = { width: 96, height: 60 };

async function coloursIn(data: string, ground: string): Promise<readonly string[]> {
  const picture = new Image();
  picture.src = data;
  await picture.decode();
  const canvas = Object.assign(document.createElement('canvas'), points);
  const context = canvas.getContext('2d');
  if (!context) return [];
  context.fillStyle = ground === '' ? '#ffffff' : ground;
  context.fillRect(0, 0, points.width, points.height);
  context.drawImage(picture, 0, 0, points.width, points.height);
  return extremesOf(context.getImageData(0, 0, points.width, points.height).data);
}
