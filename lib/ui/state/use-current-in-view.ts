import { useEffect, useRef } from 'preact/hooks';

/**
 * Scrolls a list of links that is too long for its place to the link of the current page, also when the place gets smaller. The
 * page itself is not scrolled.
 *
 * @param here what decides which link is the current one
 * @param links their number: some are known later than others
 * @returns a reference for the element that scrolls
 */
export function useCurrentInView(here: string, links: number) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const box = list.current;
    if (box === null) return;
    const scroll = () => {
      const link = box.querySelector('[aria-current="page"]')?.getBoundingClientRect();
      if (link === undefined) return;
      const place = box.getBoundingClientRect();
      box.scrollLeft += link.left + link.width / 2 - (place.left + place.width / 2);
      box.scrollTop += link.top + link.height / 2 - (place.top + place.height / 2);
    };
    const watch = new ResizeObserver(scroll);
    watch.observe(box);
    return () => watch.disconnect();
  }, [here, links]);
  return list;
}
