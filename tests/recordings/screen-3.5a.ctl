%begin 1796082453 271 0
%end 1796082453 271 0
%session-changed $0 0
%output %0 before\015\012
%output %0 \033[?1049h\033[2J\033[5;10Hfull screen\033[7;1Hsecond
%output %0 \033[5;10H\033[K\033[10;3Hmoved
%output %0 \033[?1049lafter\015\012
%output %0 \033[10;5Hhere\033[12;1Hthere\033[10;7H\033[2Pxx
%output %0 \033]2;the-end\007
%begin 1796082454 293 1
before
after







    hexx

there












%end 1796082454 293 1
%begin 1796082454 294 1
can't find pane: %99
%error 1796082454 294 1
%window-renamed @0 python3
%sessions-changed
%exit
