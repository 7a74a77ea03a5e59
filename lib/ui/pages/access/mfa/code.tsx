import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '#ui/parts/problem.tsx';

/** A barcode, drawn from the PNG of the server. An image element would need an address that the content security policy refuses. */
export function Code({ barcode }: { readonly barcode: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState<boolean>();
  useEffect(() => {
    let isGone = false;
    draw(barcode, () => (isGone ? null : canvas.current)).then(
      () => setDrawn(true),
      () => setDrawn(false),
    );
    return () => {
      isGone = true;
    };
  }, [barcode]);
  return (
    <>
      {isDrawn === false ? <Problem text="The server sent no barcode. Type the secret instead." /> : null}
      <canvas
        ref={canvas}
        class="access-code"
        hidden={isDrawn === false}
        role="img"
        aria-label="Barcode with the secret of the enrolment"
        width={0}
        height={0}
      />
    </>
  );
}

async function draw(barcode: string, canvasOf: () => HTMLCanvasElement | null): Promise<void> {
  const bytes = Uint8Array.from(atob(barcode), (character) => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const canvas = canvasOf();
  if (canvas === null) return;
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
}
